//! The C interface of bert-infer, generated from its headers by bindgen. The crate `bert-infer` is the safe interface.
#![allow(non_camel_case_types)]

include!("bindings.rs");

/// The size in bytes that stands for a text ending with a zero byte.
pub const BERT_TO_NUL: usize = usize::MAX;
