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
    /// Of a model that reads labels (GLiClass): those that a text may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// With labels: what results have in place of each label, which then may be a description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// With labels: each score stands alone, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_label: Option<bool>,
    /// The largest number of labels for each text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// Of windows: a label's score is the mean of its windows', or the largest. Default: mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scores: Option<WindowScores>,
    /// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    /// windows; or not at all, which is an error. Default: cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<LongText>,
    /// The number of tokens that a window of a long text shares with the next one.
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
    /// Candidate labels. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// The hypothesis for a label, with {} in its place. Default: "This example is {}.".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hypothesis_template: Option<String>,
    /// Several labels may apply: each score stands alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_label: Option<bool>,
    /// The largest number of labels for each text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// Of windows: a label's score is the mean of its windows', or the largest. Default: mean.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_scores: Option<WindowScores>,
    /// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    /// windows; or not at all, which is an error. Default: cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<LongText>,
    /// The number of tokens that a window of a long text shares with the next one.
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
    /// Of a model that reads labels (GLiNER): what is looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// With labels: what results have in place of each label, which then may be a description.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub names: Option<Vec<String>>,
    /// With labels: entities have scores above it. Default: 0.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// With labels: an entity may lie in another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nested: Option<bool>,
    /// With labels: an entity may have several of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub multi_label: Option<bool>,
    /// How tokens become entities: each alone, neighbours of one kind together, or by words, with the label of the
    /// first token, of the mean or of the highest-scoring token; of words the last three, by default first.
    /// Default: simple. Not beside labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregation: Option<Aggregation>,
    /// What the letter before a label means where labels become entities: auto is the scheme of the model's labels;
    /// B- and I- alone; also E- (end) and S- (single); or L- (last) and U- (unit). Default: auto. Not beside
    /// labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    /// windows; or not at all, which is an error. Default: windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<LongText>,
    /// The number of tokens that a window of a long text shares with the next one.
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
    /// Words for each mask. Default: 5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// Only these words are listed; scores stay those among all words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub targets: Option<Vec<String>>,
    /// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    /// windows; or not at all, which is an error. Default: cut.
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
    /// Answers of each question. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// The longest answer. Default: 15.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_answer_tokens: Option<usize>,
    /// "" may be the best answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no_answer: Option<bool>,
    /// Tokens of a window, or as many as the model has. Default: 384.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window_tokens: Option<usize>,
    /// An answer has whole words. Default: true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub align_to_words: Option<bool>,
    /// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    /// windows; or not at all, which is an error. Default: windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<LongText>,
    /// The number of tokens that a window of a long text shares with the next one.
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
    /// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    /// windows; or not at all, which is an error. Default: cut.
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

/// How well each text goes on after the first. None is the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChooseOptions {
    /// What each input goes on with. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    /// windows; or not at all, which is an error. Default: cut.
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
    /// What the documents are scored for. Required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The name of one of the model's prompts, which goes before a text. Not beside prompt_text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// A prompt of your own in its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_text: Option<String>,
    /// Of a classifier of two labels, the one that is the score: by default the one called relevant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevant_label: Option<String>,
    /// The largest number of results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    /// windows; or not at all, which is an error. Default: cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<LongText>,
    /// The number of tokens that a window of a long text shares with the next one.
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
    /// Of a model that reads labels (GLiNER): what is looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<Vec<String>>,
    /// LABEL=EXPRESSION: matches of a regular expression in Oniguruma's syntax are parts with this label.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expressions: Option<Vec<String>>,
    /// Of a model's entities only those with these labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only: Option<Vec<String>>,
    /// Entities have scores above it: by default 0.5 of a model that reads labels, 0 of others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// How tokens become entities, as in tag. Default: first. Not beside labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aggregation: Option<Aggregation>,
    /// What the letter before a label means where labels become entities: auto is the scheme of the model's labels;
    /// B- and I- alone; also E- (end) and S- (single); or L- (last) and U- (unit). Default: auto. Not beside
    /// labels.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheme: Option<Scheme>,
    /// What takes the place of a part; {label} is its label, {hash} a digest of it by the key. Default:
    /// "\<{label}\>".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replace: Option<String>,
    /// Instead this character for each character of a part. Not beside replace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mask: Option<String>,
    /// The key of {hash}, the first 32 digits of HMAC-SHA-256: at least 16 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// How a text that is too long is read: only its beginning, with a count of the tokens left out; all of it, in
    /// windows; or not at all, which is an error. Default: windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub long_text: Option<WindowsOrError>,
    /// The number of tokens that a window of a long text shares with the next one.
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
