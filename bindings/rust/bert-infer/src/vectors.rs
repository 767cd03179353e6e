use std::ptr;

use bert_infer_sys as sys;

use crate::error::{c_string, check, check_size, object, slice_of, starts_and_bytes, text, text_of, zeroed};
use crate::model::{long_text, with_options};
use crate::task::item_of;
use crate::{CutOrError, EmbedOptions, Error, Model, Pooling, Result};

/// Whether a text is a query or a document, in late interaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Document = 0,
    Query = 1,
}

/// The vectors of the parts of one text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PartVectors {
    /// \[parts, size\]
    pub data: Vec<f32>,
    pub size: usize,
    /// Places of chunks in the text, in bytes.
    pub offsets: Vec<(usize, usize)>,
    pub truncated_tokens: usize,
}

/// Entries of the vocabulary, in ascending order of ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseVector {
    pub ids: Vec<i32>,
    pub weights: Vec<f32>,
}

impl Model {
    /// Computes a vector for each token of a text, with a late-interaction model.
    pub fn embed_tokens(&self, given: &str, role: Role) -> Result<PartVectors> {
        part_vectors(|made| unsafe { sys::bert_embed_tokens(self.0, text(given), role as i32, made) })
    }

    /// Reads the whole text in one pass and computes a vector for each of its chunks. A chunk has at most this many
    /// tokens (0: no limit) and ends at the end of a word or of a sentence.
    pub fn embed_chunks(&self, given: &str, tokens: usize, sentences: bool, how: EmbedOptions) -> Result<PartVectors> {
        with_options(how, |embed| {
            let embed = &embed as *const _;
            let options = zeroed!(bert_chunk_options { tokens: tokens, sentences: sentences.into(), embed: embed });
            part_vectors(|made| unsafe { sys::bert_embed_chunks(self.0, text(given), &options, made) })
        })
    }

    /// Computes sparse vectors. max_active: the largest number of weights of a text; 0: the model's files decide.
    pub fn embed_sparse<T: AsRef<str>>(
        &self,
        texts: &[T],
        max_active: usize,
        long: Option<CutOrError>,
    ) -> Result<Vec<SparseVector>> {
        let (starts, bytes) = starts_and_bytes(texts);
        let options = zeroed!(bert_sparse_options { max_active: max_active, long_text: long_text(long) });
        let mut rows = vec![0; texts.len() + 1];
        let mut capacity = texts.len() * if max_active == 0 { 1024 } else { max_active.min(1024) };
        loop {
            let (mut ids, mut weights) = (vec![0; capacity], vec![0.0; capacity]);
            let (starts, bytes, of_rows) = (starts.as_ptr(), bytes.as_ptr(), rows.as_mut_ptr());
            let (to, values) = (ids.as_mut_ptr(), weights.as_mut_ptr());
            let (model, count, reports) = (self.0, texts.len(), ptr::null_mut());
            check_size(unsafe {
                sys::bert_embed_sparse_texts(
                    model, starts, bytes, count, &options, of_rows, to, values, capacity, reports,
                )
            })?;
            if rows[count] <= capacity {
                let row = |row: &[usize]| SparseVector {
                    ids: ids[row[0]..row[1]].to_vec(),
                    weights: weights[row[0]..row[1]].to_vec(),
                };
                return Ok(rows.windows(2).map(row).collect());
            }
            capacity = rows[count];
        }
    }
}

fn part_vectors(call: impl FnOnce(*mut *mut sys::bert_vectors) -> sys::bert_status) -> Result<PartVectors> {
    let mut made = ptr::null_mut();
    check(call(&mut made))?;
    unsafe {
        let (count, size) = (sys::bert_vectors_count(made), sys::bert_vectors_size(made));
        let starts = slice_of(sys::bert_vectors_starts(made), count).iter().copied();
        let ends = slice_of(sys::bert_vectors_ends(made), count).iter().copied();
        let found = PartVectors {
            data: slice_of(sys::bert_vectors_data(made), count * size).to_vec(),
            size,
            offsets: starts.zip(ends).collect(),
            truncated_tokens: sys::bert_vectors_truncated_tokens(made),
        };
        sys::bert_vectors_free(made);
        Ok(found)
    }
}

fn rows(data: &[f32], size: usize) -> Result<sys::bert_vector_rows> {
    if size == 0 || data.len() % size != 0 {
        let message = format!("{} numbers, expected whole vectors of size {}, which is at least 1", data.len(), size);
        return Err(Error::InvalidArgument(message));
    }
    Ok(sys::bert_vector_rows { data: data.as_ptr(), count: data.len() / size, size })
}

/// Returns the sum, over the query's vectors, of the largest dot product of each with a vector of the document.
pub fn max_sim(query: &PartVectors, document: &PartVectors) -> Result<f64> {
    let mut score = 0.0;
    let (query, document) = (rows(&query.data, query.size)?, rows(&document.data, document.size)?);
    check(unsafe { sys::bert_max_sim(query, document, &mut score) })?;
    Ok(score)
}

/// Returns the cosine of two vectors of one size, summed in float64.
pub fn cosine_similarity(a: &[f32], b: &[f32]) -> Result<f64> {
    if a.len() != b.len() {
        return Err(Error::InvalidArgument(format!(
            "vectors of {} and {} numbers, expected one size",
            a.len(),
            b.len()
        )));
    }
    let mut cosine = 0.0;
    check(unsafe { sys::bert_cosine_similarity(a.as_ptr(), b.as_ptr(), a.len(), &mut cosine) })?;
    Ok(cosine)
}

/// The form of the rows that a search reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scan {
    Float32 = 0,
    Int8 = 1,
    Binary = 2,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    pub row: usize,
    pub score: f64,
}

object! {
    /// Exact search among vectors of length 1.
    Index(bert_index, bert_index_free)
}

impl Index {
    /// Makes an index from a copy of the vectors, \[rows, size\].
    pub fn new(vectors: &[f32], size: usize, scan: Scan) -> Result<Self> {
        let options = zeroed!(bert_index_options { scan: scan as i32 });
        let mut index = ptr::null_mut();
        check(unsafe { sys::bert_index_create(rows(vectors, size)?, &options, &mut index) })?;
        Ok(Self(index))
    }

    /// Maps a file that [`Index::write`] or the program's `search --index` wrote.
    pub fn open(file: &str) -> Result<Self> {
        let (file, mut index) = (c_string(file)?, ptr::null_mut());
        check(unsafe { sys::bert_index_open(file.as_ptr(), ptr::null(), &mut index) })?;
        Ok(Self(index))
    }

    pub fn write(file: &str, vectors: &[f32], size: usize, scan: Scan, label: &str) -> Result<()> {
        let (file, label) = (c_string(file)?, c_string(label)?);
        let options = zeroed!(bert_index_options { scan: scan as i32, label: label.as_ptr() });
        check(unsafe { sys::bert_index_write(file.as_ptr(), rows(vectors, size)?, &options) })
    }

    pub fn rows(&self) -> usize {
        unsafe { sys::bert_index_rows(self.0) }
    }

    pub fn label(&self) -> &str {
        unsafe { text_of(sys::bert_index_label(self.0)) }.unwrap_or_default()
    }

    /// Returns the best rows for a query, at most `top`, best first.
    pub fn search(&self, query: &[f32], top: usize) -> Result<Vec<Hit>> {
        let size = unsafe { sys::bert_index_size(self.0) };
        if query.len() != size {
            return Err(Error::InvalidArgument(format!("a query of {} numbers, expected {}", query.len(), size)));
        }
        let mut hits = vec![sys::bert_hit { row: 0, score: 0.0 }; top.min(self.rows())];
        let mut found = 0;
        check(unsafe { sys::bert_index_search(self.0, query.as_ptr(), hits.len(), hits.as_mut_ptr(), &mut found) })?;
        Ok(hits[..found].iter().map(|hit| Hit { row: hit.row, score: hit.score }).collect())
    }
}

/// A part of an explained text: a token, a word or an entry of the vocabulary.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedPart {
    pub text: String,
    pub id: i32,
    pub start: usize,
    pub end: usize,
    /// Weight of an entry in the text.
    pub weight: f64,
}

/// A score, which is the sum of its terms and a remainder.
#[derive(Clone, Debug, PartialEq)]
pub struct ExplainedScore {
    /// Label of a classifier; "" for a similarity.
    pub label: String,
    pub score: f64,
    pub remainder: f64,
}

/// The kind of an explanation's terms, each with their shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplanationKind {
    /// \[parts of the first text, parts of the second\]
    TokenPairs,
    /// \[entries\]
    Entries,
    /// \[parts of the first text, parts of the second\]
    Matches,
    /// \[parts of the first text, then of the second, scores\]
    WordsLeftOut,
}

/// Explains a score.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    pub kind: ExplanationKind,
    /// "cosine", "maxsim", …; "" for labels.
    pub function: String,
    pub scores: Vec<ExplainedScore>,
    pub first: Vec<ExplainedPart>,
    pub second: Vec<ExplainedPart>,
    pub terms: Vec<f64>,
}

/// The kind of vectors that a similarity compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorKind {
    Dense = 0,
    Sparse = 1,
    Tokens = 2,
}

impl Model {
    pub fn explain_similarity(
        &self,
        a: &str,
        b: &str,
        of: VectorKind,
        pooling: Option<Pooling>,
    ) -> Result<Explanation> {
        let pooling = pooling.map_or(0, |pooling| pooling as i32);
        let options = zeroed!(bert_explain_options { vectors: of as i32, pooling: pooling });
        explanation(|why| unsafe { sys::bert_explain_similarity(self.0, text(a), text(b), &options, why) })
    }

    /// Explains a classifier's scores for a text, or for a text and its pair.
    pub fn explain_labels(&self, given: &str, pair: Option<&str>) -> Result<Explanation> {
        let pair = pair.map_or(sys::bert_text { data: ptr::null(), bytes: 0 }, text);
        explanation(|why| unsafe { sys::bert_explain_labels(self.0, text(given), pair, ptr::null(), why) })
    }

    /// Explains how well a document fits a query.
    pub fn explain_relevance(&self, query: &str, document: &str) -> Result<Explanation> {
        explanation(|why| unsafe { sys::bert_explain_relevance(self.0, text(query), text(document), ptr::null(), why) })
    }
}

fn explanation(call: impl FnOnce(*mut *mut sys::bert_explanation) -> sys::bert_status) -> Result<Explanation> {
    let mut why = ptr::null_mut();
    check(call(&mut why))?;
    unsafe {
        let parts = |which| -> Vec<ExplainedPart> {
            let items = slice_of(sys::bert_explanation_parts(why, which), sys::bert_explanation_part_count(why, which));
            let part = |item| {
                let item = item_of(item);
                let (id, start, end, weight) = (item.id, item.start, item.end, item.score);
                ExplainedPart { text: item.text.to_owned(), id, start, end, weight }
            };
            items.iter().map(part).collect()
        };
        let (first, second) = (parts(0), parts(1));
        let outputs = sys::bert_explanation_output_count(why);
        let remainders = slice_of(sys::bert_explanation_remainders(why), outputs);
        let score = |(item, &remainder)| {
            let item = item_of(item);
            ExplainedScore { label: item.text.to_owned(), score: item.score, remainder }
        };
        let scores = slice_of(sys::bert_explanation_outputs(why), outputs).iter().zip(remainders).map(score).collect();
        let (kind, terms) = match sys::bert_explanation_kind_of(why) as u32 {
            sys::BERT_ENTRIES => (ExplanationKind::Entries, first.len()),
            sys::BERT_MATCHES => (ExplanationKind::Matches, first.len() * second.len()),
            sys::BERT_WORDS_LEFT_OUT => (ExplanationKind::WordsLeftOut, (first.len() + second.len()) * outputs),
            _ => (ExplanationKind::TokenPairs, first.len() * second.len()),
        };
        let terms = slice_of(sys::bert_explanation_terms(why), terms).to_vec();
        let function = text_of(sys::bert_explanation_function(why)).unwrap_or_default().to_owned();
        sys::bert_explanation_free(why);
        Ok(Explanation { kind, function, scores, first, second, terms })
    }
}
