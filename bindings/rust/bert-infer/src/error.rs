use std::ffi::{CStr, CString};
use std::os::raw::c_char;

use bert_infer_sys as sys;

pub type Result<T> = std::result::Result<T, Error>;

/// Makes the kinds of errors from the names of the library's statuses.
macro_rules! errors {
    ($($(#[$comment:meta])* $kind:ident = $status:ident),* $(,)?) => {
        /// The kind of an error; each kind has the library's message, one line.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Error {
            $($(#[$comment])* $kind(String)),*
        }

        impl Error {
            pub fn message(&self) -> &str {
                match self {
                    $(Self::$kind(message))|* => message,
                }
            }

            pub(crate) fn new(status: sys::bert_status, message: String) -> Self {
                match status {
                    $(sys::$status => Self::$kind(message),)*
                    _ => Self::Internal(message),
                }
            }
        }
    };
}

errors! {
    InvalidArgument = BERT_INVALID_ARGUMENT,
    InvalidFile = BERT_INVALID_FILE,
    NotFound = BERT_NOT_FOUND,
    Unsupported = BERT_UNSUPPORTED,
    InvalidText = BERT_INVALID_TEXT,
    NonFinite = BERT_NON_FINITE,
    Io = BERT_IO,
    OutOfMemory = BERT_OUT_OF_MEMORY,
    Cancelled = BERT_CANCELLED,
    /// There is a bug in the library.
    Internal = BERT_INTERNAL,
}

impl Error {
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

/// Checks a call that may only tell how large a buffer it needs.
pub(crate) fn check_size(status: sys::bert_status) -> Result<()> {
    check(if status == sys::BERT_BUFFER_TOO_SMALL { sys::BERT_OK } else { status })
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

/// Returns where each text begins, and its size.
pub(crate) fn starts_and_bytes<T: AsRef<str>>(texts: &[T]) -> (Vec<*const c_char>, Vec<usize>) {
    texts.iter().map(|text| (text.as_ref().as_ptr().cast::<c_char>(), text.as_ref().len())).unzip()
}

pub(crate) fn text(text: &str) -> sys::bert_text {
    sys::bert_text { data: text.as_ptr().cast(), bytes: text.len() }
}

/// Makes the type of an object of the library, which any number of threads may use, and which is freed by dropping it.
macro_rules! object {
    ($(#[$comment:meta])* $name:ident($kind:ident, $free:ident)) => {
        $(#[$comment])*
        pub struct $name(pub(crate) *mut sys::$kind);

        unsafe impl Send for $name {}
        unsafe impl Sync for $name {}

        impl Drop for $name {
            fn drop(&mut self) {
                unsafe { sys::$free(self.0) }
            }
        }
    };
}
pub(crate) use object;

/// Makes an options structure as the library's header requires: all zeros, except its size and the given fields.
macro_rules! zeroed {
    ($kind:ident { $($field:ident: $value:expr),* $(,)? }) => {{
        let mut made = unsafe { std::mem::zeroed::<sys::$kind>() };
        made.struct_bytes = std::mem::size_of::<sys::$kind>();
        $(made.$field = $value;)*
        made
    }};
}
pub(crate) use zeroed;
