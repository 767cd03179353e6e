//! The C interface of bert-infer, generated from its headers by bindgen. The crate `bert-infer` is the safe interface.
#![allow(non_camel_case_types)]

include!("bindings.rs");

/// The size in bytes to give for a text that ends with a zero byte.
pub const BERT_TO_NUL: usize = usize::MAX;
