use std::os::raw::c_char;
use std::ptr;

use bert_infer_sys as sys;

use crate::error::{check, check_size, zeroed};
use crate::{Error, Model, Result};

#[derive(Clone, Copy, Debug, Default)]
pub struct TokenizeOptions {
    /// The limit of tokens, including special tokens; 0: no limit.
    pub max_length: usize,
    pub without_special_tokens: bool,
}

/// The tokens of a text, or of a text and its pair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    pub ids: Vec<i32>,
    /// 0 for the text, 1 for the pair, as the model's template says.
    pub type_ids: Vec<i32>,
    /// 1 for tokens that the template added.
    pub special_tokens_mask: Vec<u8>,
    /// Place of each token in its text, in bytes; (0, 0) for a token of the template.
    pub offsets: Vec<(usize, usize)>,
    /// Index of the token's word in its text; -1 for a token of the template.
    pub word_ids: Vec<i32>,
    /// 0: of the text, 1: of the pair, -1: of the template.
    pub sequence_ids: Vec<i32>,
    /// Number of tokens that max_length removed.
    pub truncated_tokens: usize,
    pub unknown_tokens: usize,
}

impl Model {
    pub fn tokenize(&self, text: &str, pair: Option<&str>, options: TokenizeOptions) -> Result<Tokens> {
        let mut tokens = zeroed!(bert_tokens {});
        let given = zeroed!(bert_tokenize_options {
            max_length: options.max_length,
            without_special_tokens: options.without_special_tokens.into(),
        });
        let call = |tokens: &mut sys::bert_tokens| unsafe {
            let pair = pair.map_or((ptr::null(), 0), |pair| (pair.as_ptr().cast(), pair.len()));
            let tokenizer = sys::bert_model_tokenizer(self.0);
            sys::bert_tokenize(tokenizer, text.as_ptr().cast(), text.len(), pair.0, pair.1, &given, tokens)
        };
        check_size(call(&mut tokens))?;
        let size = tokens.size;
        let mut made = Tokens {
            ids: vec![0; size],
            type_ids: vec![0; size],
            special_tokens_mask: vec![0; size],
            word_ids: vec![0; size],
            sequence_ids: vec![0; size],
            ..Tokens::default()
        };
        let (mut begins, mut ends) = (vec![0; size], vec![0; size]);
        tokens.capacity = size;
        tokens.ids = made.ids.as_mut_ptr();
        tokens.type_ids = made.type_ids.as_mut_ptr();
        tokens.special_tokens_mask = made.special_tokens_mask.as_mut_ptr();
        tokens.word_ids = made.word_ids.as_mut_ptr();
        tokens.sequence_ids = made.sequence_ids.as_mut_ptr();
        tokens.offset_begins = begins.as_mut_ptr();
        tokens.offset_ends = ends.as_mut_ptr();
        check(call(&mut tokens))?;
        made.offsets = begins.into_iter().zip(ends).collect();
        made.truncated_tokens = tokens.truncated_tokens;
        made.unknown_tokens = tokens.unknown_tokens;
        Ok(made)
    }

    /// Returns the token of an id, as in the vocabulary.
    pub fn token(&self, id: i32) -> Result<String> {
        let tokenizer = unsafe { sys::bert_model_tokenizer(self.0) };
        string_of(|buffer, capacity, bytes| unsafe { sys::bert_token_text(tokenizer, id, buffer, capacity, bytes) })
    }

    /// Returns the text of ids; skips ids without a token.
    pub fn decode(&self, ids: &[i32], skip_special_tokens: bool) -> Result<String> {
        let tokenizer = unsafe { sys::bert_model_tokenizer(self.0) };
        string_of(|buffer, capacity, bytes| unsafe {
            let skip = skip_special_tokens.into();
            sys::bert_decode(tokenizer, ids.as_ptr(), ids.len(), skip, buffer, capacity, bytes)
        })
    }
}

/// Returns the text that a call writes into a buffer. The function is called twice, first for the size.
fn string_of(call: impl Fn(*mut c_char, usize, *mut usize) -> sys::bert_status) -> Result<String> {
    let mut bytes = 0;
    check_size(call(ptr::null_mut(), 0, &mut bytes))?;
    let mut buffer = vec![0_u8; bytes + 1];
    check(call(buffer.as_mut_ptr().cast(), buffer.len(), &mut bytes))?;
    buffer.truncate(bytes);
    String::from_utf8(buffer).map_err(|error| Error::Internal(error.to_string()))
}
