//! Text encoders on the CPU. They compute embeddings, tokens, entities, answers and ranks.
//!
//! ```
//! let model = bert_infer::Model::builtin()?; // or Model::load("sentence-transformers/all-MiniLM-L6-v2")
//! let guitar = model.embed("A man plays the guitar.")?;
//! let music = model.embed("Somebody makes music.")?;
//! assert!(bert_infer::cosine_similarity(&guitar, &music)? > 0.3);
//! # Ok::<(), bert_infer::Error>(())
//! ```
//!
//! Each task has a structure with its options, and result types of its own. `None` is the default of each option:
//!
//! ```
//! # fn main() -> bert_infer::Result<()> {
//! use bert_infer::{FillMaskOptions, Model};
//! let model = Model::builtin()?;
//! let task = model.task(&FillMaskOptions { top_k: Some(2), ..Default::default() })?;
//! for candidate in &task.run(&["She opened the [MASK]."])?[0][0] {
//!     println!("{:.3} {}", candidate.score, candidate.token);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! A progress function can end a call over many texts, for example when another thread has set a flag:
//!
//! ```
//! use std::sync::atomic::{AtomicBool, Ordering};
//! # let model = bert_infer::Model::builtin()?;
//! let cancelled = AtomicBool::new(false);
//! let texts = ["one", "two"];
//! model.embed_texts_while(&texts, Default::default(), |_texts, _tokens| !cancelled.load(Ordering::Relaxed))?;
//! # Ok::<(), bert_infer::Error>(())
//! ```
mod error;
mod model;
mod task;
#[rustfmt::skip]
mod task_options;
mod tokens;
mod vectors;

pub use error::{Error, Result};
pub use model::{EmbedOptions, Encoded, LoadOptions, Model, Pooling, Precision, Report, Runtime, Vectors};
pub use task::{Counted, Input, Item, Ranked, Redacted, Task, TaskOptions};
pub use task_options::*;
pub use tokens::{TokenizeOptions, Tokens};
pub use vectors::{
    cosine_similarity, max_sim, ExplainedPart, ExplainedScore, Explanation, ExplanationKind, Hit, Index, PartVectors,
    Role, Scan, SparseVector, VectorKind,
};

/// Version of the library, such as "0.1.0".
pub fn version() -> &'static str {
    unsafe { error::text_of(bert_infer_sys::bert_version()) }.unwrap_or_default()
}
