//! The C interface of bert-infer as bindgen makes it of its headers. The crate `bert-infer` is the safe one.
#![allow(non_camel_case_types)]

include!("bindings.rs");

/// Of a text that ends with a zero byte: its size in bytes.
pub const BERT_TO_NUL: usize = usize::MAX;
