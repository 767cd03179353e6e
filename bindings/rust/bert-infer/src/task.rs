use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr;

use bert_infer_sys as sys;
use serde::{Deserialize, Serialize};

use crate::error::{c_string, check, slice_of, text, text_of, zeroed};
use crate::model::watched;
use crate::{Candidate, Error, Model, Part, Result};

/// A task's options, which decide the type of its results. Structures such as [`crate::ClassifyOptions`] implement
/// this.
pub trait TaskOptions: Serialize {
    const NAME: &'static str;
    /// Whether the task orders its inputs; see [`Task::rank`].
    const RANKS: bool;
    type Output;
    fn output(items: &[Item], text: Option<&str>) -> Self::Output;
}

/// One input of a task.
#[derive(Clone, Copy, Debug)]
pub enum Input<'a> {
    Text(&'a str),
    Pair(&'a str, &'a str),
    /// The words of a text, for a task that reads words.
    Words(&'a [&'a str]),
}

impl<'a> From<&'a str> for Input<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl<'a> From<(&'a str, &'a str)> for Input<'a> {
    fn from((text, pair): (&'a str, &'a str)) -> Self {
        Self::Pair(text, pair)
    }
}

/// A part of a result. Each task says which fields it sets (docs/TASKS.md).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Item<'a> {
    pub text: &'a str,
    pub score: f64,
    pub index: usize,
    pub id: i32,
    /// Place in the text, in bytes.
    pub start: usize,
    pub end: usize,
}

/// A result, and the number of tokens of its texts that were not read.
#[derive(Clone, Debug, PartialEq)]
pub struct Counted<T> {
    pub value: T,
    pub truncated_tokens: usize,
}

impl<T> Deref for Counted<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

/// An input and its place in a ranking.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranked {
    pub index: usize,
    pub score: f64,
}

/// A text with its names replaced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Redacted {
    pub text: String,
    pub replaced: Vec<Part>,
}

/// A task of a model with its options. Any number of threads may run one at the same time.
pub struct Task<'m, T> {
    task: *mut sys::bert_task,
    model: PhantomData<&'m Model>,
    options: PhantomData<fn() -> T>,
}

unsafe impl<T> Send for Task<'_, T> {}
unsafe impl<T> Sync for Task<'_, T> {}

impl<T> Drop for Task<'_, T> {
    fn drop(&mut self) {
        unsafe { sys::bert_task_free(self.task) }
    }
}

/// The library's results; dropping this frees them.
struct Results(*mut sys::bert_results);

impl Drop for Results {
    fn drop(&mut self) {
        unsafe { sys::bert_results_free(self.0) }
    }
}

impl Results {
    fn items(&self, input: usize) -> Vec<Item<'_>> {
        let mut count = 0;
        let items = unsafe { slice_of(sys::bert_results_items(self.0, input, &mut count), count) };
        items.iter().map(|item| unsafe { item_of(item) }).collect()
    }

    fn each<R>(&self, make: impl Fn(usize) -> R) -> Vec<Result<Counted<R>>> {
        let one = |input| match unsafe { sys::bert_results_status(self.0, input) } {
            sys::BERT_OK => {
                let truncated_tokens = unsafe { sys::bert_results_truncated_tokens(self.0, input) };
                Ok(Counted { value: make(input), truncated_tokens })
            }
            status => {
                let message = unsafe { text_of(sys::bert_results_message(self.0, input)) };
                Err(Error::new(status, message.unwrap_or_default().to_owned()))
            }
        };
        (0..unsafe { sys::bert_results_count(self.0) }).map(one).collect()
    }
}

pub(crate) unsafe fn item_of(item: &sys::bert_item) -> Item<'_> {
    let bytes = slice_of(item.text.cast(), item.text_bytes);
    Item {
        text: std::str::from_utf8(bytes).unwrap_or_default(),
        score: item.score,
        index: item.index,
        id: item.id,
        start: item.start,
        end: item.end,
    }
}

/// The candidates of each mask.
pub(crate) fn masks(items: &[Item]) -> Vec<Vec<Candidate>> {
    let mut found: Vec<Vec<Candidate>> = Vec::new();
    for item in items {
        found.resize(found.len().max(item.index + 1), Vec::new());
        found[item.index].push(item.into());
    }
    found
}

impl Model {
    /// Makes a task with its options, which can be run over any number of inputs.
    pub fn task<T: TaskOptions>(&self, options: &T) -> Result<Task<'_, T>> {
        let json = serde_json::to_string(options).map_err(|error| Error::InvalidArgument(error.to_string()))?;
        self.new_task(T::NAME, &json)
    }

    /// Runs a task by its name with options as JSON. Returns results as the program prints them (docs/OUTPUT.md).
    pub fn task_json<'a, I: Into<Input<'a>> + Copy>(
        &self,
        name: &str,
        options: &serde_json::Value,
        inputs: &[I],
    ) -> Result<Vec<Result<Counted<serde_json::Value>>>> {
        let task: Task<()> = self.new_task(name, &options.to_string())?;
        let (_, results) = task.run_inputs(inputs, &mut |_, _| true, true)?;
        Ok(results.each(|input| {
            let json = unsafe { text_of(sys::bert_results_json(results.0, input)) };
            serde_json::from_str(json.unwrap_or_default()).unwrap_or_default()
        }))
    }

    fn new_task<T>(&self, name: &str, json: &str) -> Result<Task<'_, T>> {
        let name = c_string(name)?;
        let mut task = Task { task: ptr::null_mut(), model: PhantomData, options: PhantomData };
        check(unsafe { sys::bert_task_new(self.0, name.as_ptr(), &mut task.task) })?;
        check(unsafe { sys::bert_task_set_json(task.task, json.as_ptr().cast(), json.len()) })?;
        Ok(task)
    }
}

impl<T> Task<'_, T> {
    /// Returns the results, and the first error of an input, if any.
    fn run_inputs<'a, I: Into<Input<'a>> + Copy>(
        &self,
        inputs: &[I],
        progress: &mut dyn FnMut(usize, usize) -> bool,
        json: bool,
    ) -> Result<(Option<Error>, Results)> {
        let words: Vec<Vec<sys::bert_text>> = inputs
            .iter()
            .map(|&input| match input.into() {
                Input::Words(words) => words.iter().map(|word| text(word)).collect(),
                _ => Vec::new(),
            })
            .collect();
        let given: Vec<sys::bert_input> = inputs
            .iter()
            .zip(&words)
            .map(|(&input, words)| {
                let mut given: sys::bert_input = unsafe { std::mem::zeroed() };
                match input.into() {
                    Input::Text(one) => given.text = text(one),
                    Input::Pair(one, pair) => {
                        given.text = text(one);
                        given.pair = text(pair);
                    }
                    Input::Words(_) => {
                        given.words = words.as_ptr();
                        given.word_count = words.len();
                    }
                }
                given
            })
            .collect();
        let mut results = Results(ptr::null_mut());
        let status = watched(progress, |call, context| {
            let options = zeroed!(bert_run_options { json: json.into(), progress: call, progress_context: context });
            unsafe { sys::bert_task_run(self.task, given.as_ptr(), given.len(), &options, &mut results.0) }
        });
        let failed = check(status).err();
        match (results.0.is_null(), failed) {
            (true, Some(error)) => Err(error),
            (_, failed) => Ok((failed, results)),
        }
    }
}

impl<T: TaskOptions> Task<'_, T> {
    /// Returns the result of each input, in their order, or the error of the first input that failed.
    pub fn run<'a, I: Into<Input<'a>> + Copy>(&self, inputs: &[I]) -> Result<Vec<Counted<T::Output>>> {
        let (failed, results) = self.run_inputs(inputs, &mut |_, _| true, false)?;
        match failed {
            Some(error) => Err(error),
            None => results.each(|input| output::<T>(&results, input)).into_iter().collect(),
        }
    }

    /// Returns the result or the error of each input. Between forward passes, progress is called with the numbers of
    /// texts and tokens done so far. If it returns false, the call ends with [`Error::Cancelled`].
    pub fn run_each<'a, I: Into<Input<'a>> + Copy>(
        &self,
        inputs: &[I],
        mut progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<Vec<Result<Counted<T::Output>>>> {
        let (_, results) = self.run_inputs(inputs, &mut progress, false)?;
        Ok(results.each(|input| output::<T>(&results, input)))
    }
}

impl<T: TaskOptions<Output = f64>> Task<'_, T> {
    /// Returns the inputs, best first, for a task that orders them: [`crate::RerankOptions`], [`crate::ChooseOptions`].
    pub fn rank(&self, inputs: &[&str]) -> Result<Vec<Ranked>> {
        let (failed, results) = self.run_inputs(inputs, &mut |_, _| true, false)?;
        if let Some(error) = failed {
            return Err(error);
        }
        let mut count = 0;
        let order = unsafe { slice_of(sys::bert_results_ranking(results.0, &mut count), count) };
        let ranked = |&index| Ranked { index, score: results.items(index).first().map_or(0.0, |item| item.score) };
        Ok(order.iter().map(ranked).collect())
    }
}

fn output<T: TaskOptions>(results: &Results, input: usize) -> T::Output {
    let mut bytes = 0;
    let text = unsafe { sys::bert_results_text(results.0, input, &mut bytes) };
    let text = std::str::from_utf8(unsafe { slice_of(text.cast(), bytes) }).ok().filter(|_| !text.is_null());
    T::output(&results.items(input), text)
}
