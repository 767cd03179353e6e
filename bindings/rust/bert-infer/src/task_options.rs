//! The tasks with their options and results, written by tools/tasks/write_types.py from the library's description.
use serde::{Deserialize, Serialize};

use crate::task::{masks, Item, Redacted, TaskOptions};

/// One of mean, largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowScores {
    Mean,
    Largest,
}

/// One of cut, windows, error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LongText {
    Cut,
    Windows,
    Error,
}

/// One of none, simple, first, average, max.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aggregation {
    None,
    Simple,
    First,
    Average,
    Max,
}

/// One of auto, iob, bioes, bilou.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    Auto,
    Iob,
    Bioes,
    Bilou,
}

/// One of cut, error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutOrError {
    Cut,
    Error,
}

/// One of windows, error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowsOrError {
    Windows,
    Error,
}

/// A label and its score; index is that of the caller's own label.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Label {
    pub label: String,
    pub score: f64,
    pub index: usize,
}

impl From<&Item<'_>> for Label {
    fn from(item: &Item) -> Self {
        Self { label: item.text.to_owned(), score: item.score, index: item.index }
    }
}

/// An entity at a place in its text; index is that of the caller's own label, or of the given word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entity {
    pub label: String,
    pub score: f64,
    pub start: usize,
    pub end: usize,
    pub index: usize,
}

impl From<&Item<'_>> for Entity {
    fn from(item: &Item) -> Self {
        Self { label: item.text.to_owned(), score: item.score, start: item.start, end: item.end, index: item.index }
    }
}

/// A token in the place of a mask.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    pub token: String,
    pub id: i32,
    pub score: f64,
}

impl From<&Item<'_>> for Candidate {
    fn from(item: &Item) -> Self {
        Self { token: item.text.to_owned(), id: item.id, score: item.score }
    }
}

/// A part of the context, at its place there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub answer: String,
    pub score: f64,
    pub start: usize,
    pub end: usize,
}

impl From<&Item<'_>> for Answer {
    fn from(item: &Item) -> Self {
        Self { answer: item.text.to_owned(), score: item.score, start: item.start, end: item.end }
    }
}

/// A part of the text that was replaced, at its place in the given text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    pub label: String,
    pub start: usize,
    pub end: usize,
}

impl From<&Item<'_>> for Part {
    fn from(item: &Item) -> Self {
        Self { label: item.text.to_owned(), start: item.start, end: item.end }
    }
}

/// The labels of a text or a pair, best first: a classifier's own, or those that the caller names. None is the
/// default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClassifyOptions {
    /// The labels to choose from, for a model that reads labels (GLiClass).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// With labels, the name of each label in the results, so that a label can be a description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// With labels, each label is scored independently, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_label: Option<bool>,
    /// The largest number of labels for each text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// How a label's scores in the windows of a long text become one: their mean, or the largest. Default: mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scores: Option<WindowScores>,
    /// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    /// reads all of it in windows, error refuses it. Default: cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<LongText>,
    /// The number of tokens that a window of a long text shares with the next window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride: Option<usize>,
}

impl TaskOptions for ClassifyOptions {
    const NAME: &'static str = "classify";
    const RANKS: bool = false;
    type Output = Vec<Label>;
    fn output(items: &[Item], _text: Option<&str>) -> Self::Output {
        items.iter().map(Into::into).collect()
    }
}

/// The candidate labels of a text, best first, by a classifier of natural language inference. None is the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ZeroShotOptions {
    /// The labels to choose from. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// The sentence that is tested for each label, with {} in the place of the label. Default: "This example is
    /// {}.".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypothesis_template: Option<String>,
    /// Each label is scored independently, because several may apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_label: Option<bool>,
    /// The largest number of labels for each text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// How a label's scores in the windows of a long text become one: their mean, or the largest. Default: mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scores: Option<WindowScores>,
    /// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    /// reads all of it in windows, error refuses it. Default: cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<LongText>,
    /// The number of tokens that a window of a long text shares with the next window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride: Option<usize>,
}

impl TaskOptions for ZeroShotOptions {
    const NAME: &'static str = "zero_shot";
    const RANKS: bool = false;
    type Output = Vec<Label>;
    fn output(items: &[Item], _text: Option<&str>) -> Self::Output {
        items.iter().map(Into::into).collect()
    }
}

/// The entities of a text, or a label for each of its words. None is the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TagOptions {
    /// The kinds of entities to find, for a model that reads labels (GLiNER).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// With labels, the name of each label in the results, so that a label can be a description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// With labels, the score that an entity must exceed. Default: 0.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// With labels, an entity may lie inside another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nested: Option<bool>,
    /// With labels, an entity may have several labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_label: Option<bool>,
    /// How tokens become entities: none leaves each token alone, simple joins neighbours of one label; first,
    /// average and max give each word one label, by its first token, the mean of its tokens or the token with the
    /// highest score; an input of words takes one of these three, by default first. Default: simple. Not beside
    /// labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregation: Option<Aggregation>,
    /// The letters before the model's labels that join words into entities: iob has B- and I-, bioes also E- (end)
    /// and S- (single), bilou L- (last) and U- (unit); auto finds out by the labels. Default: auto. Not beside
    /// labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    /// reads all of it in windows, error refuses it. Default: windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<LongText>,
    /// The number of tokens that a window of a long text shares with the next window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride: Option<usize>,
}

impl TaskOptions for TagOptions {
    const NAME: &'static str = "tag";
    const RANKS: bool = false;
    type Output = Vec<Entity>;
    fn output(items: &[Item], _text: Option<&str>) -> Self::Output {
        items.iter().map(Into::into).collect()
    }
}

/// For each mask of a text the words that fit best. None is the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FillMaskOptions {
    /// The number of words for each mask. Default: 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// The words to list, whose scores remain those among all words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<String>>,
    /// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    /// reads all of it in windows, error refuses it. Default: cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<CutOrError>,
}

impl TaskOptions for FillMaskOptions {
    const NAME: &'static str = "fill_mask";
    const RANKS: bool = false;
    type Output = Vec<Vec<Candidate>>;
    fn output(items: &[Item], _text: Option<&str>) -> Self::Output {
        masks(items)
    }
}

/// The parts of a context that answer a question, best first: a pair of both. None is the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnswerOptions {
    /// The number of answers to each question. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// The largest number of tokens in an answer. Default: 15.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_answer_tokens: Option<usize>,
    /// The answer may be "", which says that the context has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_answer: Option<bool>,
    /// The number of tokens in a window, at most as many as the model reads. Default: 384.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_tokens: Option<usize>,
    /// An answer consists of whole words. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub align_to_words: Option<bool>,
    /// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    /// reads all of it in windows, error refuses it. Default: windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<LongText>,
    /// The number of tokens that a window of a long text shares with the next window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride: Option<usize>,
}

impl TaskOptions for AnswerOptions {
    const NAME: &'static str = "answer";
    const RANKS: bool = false;
    type Output = Vec<Answer>;
    fn output(items: &[Item], _text: Option<&str>) -> Self::Output {
        items.iter().map(Into::into).collect()
    }
}

/// Whether the second of two texts follows the first. None is the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NextSentenceOptions {
    /// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    /// reads all of it in windows, error refuses it. Default: cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<CutOrError>,
}

impl TaskOptions for NextSentenceOptions {
    const NAME: &'static str = "next_sentence";
    const RANKS: bool = false;
    type Output = f64;
    fn output(items: &[Item], _text: Option<&str>) -> Self::Output {
        items.first().map_or(0.0, |item| item.score)
    }
}

/// How well each text continues the given one. None is the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChooseOptions {
    /// The text that each input may continue. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    /// reads all of it in windows, error refuses it. Default: cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<CutOrError>,
}

impl TaskOptions for ChooseOptions {
    const NAME: &'static str = "choose";
    const RANKS: bool = true;
    type Output = f64;
    fn output(items: &[Item], _text: Option<&str>) -> Self::Output {
        items.first().map_or(0.0, |item| item.score)
    }
}

/// How well each text fits a query. None is the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RerankOptions {
    /// The query that the documents are scored for. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The name of the model's prompt that is put before each text. Not beside prompt_text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// A prompt of your own that is put before each text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_text: Option<String>,
    /// For a classifier with two labels, the label whose score counts: by default the one called relevant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevant_label: Option<String>,
    /// The largest number of results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    /// reads all of it in windows, error refuses it. Default: cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<LongText>,
    /// The number of tokens that a window of a long text shares with the next window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride: Option<usize>,
}

impl TaskOptions for RerankOptions {
    const NAME: &'static str = "rerank";
    const RANKS: bool = true;
    type Output = f64;
    fn output(items: &[Item], _text: Option<&str>) -> Self::Output {
        items.first().map_or(0.0, |item| item.score)
    }
}

/// A text without the names in it. None is the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RedactOptions {
    /// The kinds of entities to find, for a model that reads labels (GLiNER).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// LABEL=EXPRESSION: each match of the regular expression (Oniguruma's syntax) is replaced as a part with this
    /// label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expressions: Option<Vec<String>>,
    /// The labels of the entities to replace: by default all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
    /// The score that an entity must exceed: by default 0.5 for a model that reads labels, 0 for others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// How tokens become entities, as in tag. Default: first. Not beside labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregation: Option<Aggregation>,
    /// The letters before the model's labels that join words into entities: iob has B- and I-, bioes also E- (end)
    /// and S- (single), bilou L- (last) and U- (unit); auto finds out by the labels. Default: auto. Not beside
    /// labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// What replaces a part; {label} is the label of the part, {hash} a digest of its text by the key. Default:
    /// "\<{label}\>".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace: Option<String>,
    /// A character that replaces each character of a part. Not beside replace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
    /// The key of {hash}, at least 16 bytes; {hash} is the first 32 digits of HMAC-SHA-256.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// What is done with a text that is too long: cut reads its beginning and counts the tokens left out, windows
    /// reads all of it in windows, error refuses it. Default: windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<WindowsOrError>,
    /// The number of tokens that a window of a long text shares with the next window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stride: Option<usize>,
}

impl TaskOptions for RedactOptions {
    const NAME: &'static str = "redact";
    const RANKS: bool = false;
    type Output = Redacted;
    fn output(items: &[Item], text: Option<&str>) -> Self::Output {
        Redacted { text: text.unwrap_or_default().to_owned(), replaced: items.iter().map(Into::into).collect() }
    }
}
