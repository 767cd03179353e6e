use std::ffi::{CStr, CString};
use std::os::raw::c_char;

use bert_infer_sys as sys;

pub type Result<T> = std::result::Result<T, Error>;

/// The kind of an error; each kind has the library's message, one line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    InvalidArgument(String),
    InvalidFile(String),
    NotFound(String),
    Unsupported(String),
    InvalidText(String),
    NonFinite(String),
    Io(String),
    OutOfMemory(String),
    Cancelled(String),
    /// There is a bug in the library.
    Internal(String),
}

impl Error {
    pub fn message(&self) -> &str {
        use Error::*;
        match self {
            InvalidArgument(text)
            | InvalidFile(text)
            | NotFound(text)
            | Unsupported(text)
            | InvalidText(text)
            | NonFinite(text)
            | Io(text)
            | OutOfMemory(text)
            | Cancelled(text)
            | Internal(text) => text,
        }
    }

    pub(crate) fn new(status: sys::bert_status, message: String) -> Self {
        match status {
            sys::BERT_INVALID_ARGUMENT => Self::InvalidArgument(message),
            sys::BERT_INVALID_FILE => Self::InvalidFile(message),
            sys::BERT_NOT_FOUND => Self::NotFound(message),
            sys::BERT_UNSUPPORTED => Self::Unsupported(message),
            sys::BERT_INVALID_TEXT => Self::InvalidText(message),
            sys::BERT_NON_FINITE => Self::NonFinite(message),
            sys::BERT_IO => Self::Io(message),
            sys::BERT_OUT_OF_MEMORY => Self::OutOfMemory(message),
            sys::BERT_CANCELLED => Self::Cancelled(message),
            _ => Self::Internal(message),
        }
    }

    /// Makes the error of this thread's last call, which must have failed.
    pub(crate) fn last(status: sys::bert_status) -> Self {
        Self::new(status, unsafe { text_of(sys::bert_error_message()) }.unwrap_or_default().to_owned())
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        formatter.write_str(self.message())
    }
}

impl std::error::Error for Error {}

pub(crate) fn check(status: sys::bert_status) -> Result<()> {
    match status {
        sys::BERT_OK => Ok(()),
        _ => Err(Error::last(status)),
    }
}

/// Returns the text of a C string, which is valid as long as its owner lives; None for null.
pub(crate) unsafe fn text_of<'a>(text: *const c_char) -> Option<&'a str> {
    // The library's texts are UTF-8.
    (!text.is_null()).then(|| CStr::from_ptr(text).to_str().unwrap_or_default())
}

/// Returns `count` values in the library's memory; an empty slice for null.
pub(crate) unsafe fn slice_of<'a, T>(data: *const T, count: usize) -> &'a [T] {
    if data.is_null() {
        &[]
    } else {
        std::slice::from_raw_parts(data, count)
    }
}

pub(crate) fn c_string(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::InvalidArgument(format!("{:?} has a zero byte, expected none", text)))
}

pub(crate) fn c_strings<const N: usize>(texts: [Option<&str>; N]) -> Result<Vec<Option<CString>>> {
    texts.into_iter().map(|text| text.map(c_string).transpose()).collect()
}

pub(crate) fn pointer(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(std::ptr::null(), |text| text.as_ptr())
}

pub(crate) fn text(text: &str) -> sys::bert_text {
    sys::bert_text { data: text.as_ptr().cast(), bytes: text.len() }
}

/// Makes an options structure as the library's header requires: all zeros, except its size and the given fields.
macro_rules! zeroed {
    ($kind:ident { $($field:ident: $value:expr),* $(,)? }) => {{
        let mut made: sys::$kind = std::mem::zeroed();
        made.struct_bytes = std::mem::size_of::<sys::$kind>();
        $(made.$field = $value;)*
        made
    }};
}
pub(crate) use zeroed;
