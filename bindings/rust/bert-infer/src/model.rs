use std::any::Any;
use std::os::raw::{c_int, c_void};
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::ptr;

use bert_infer_sys as sys;

use crate::error::{c_string, c_strings, check, object, pointer, starts_and_bytes, text_of, zeroed};
use crate::{CutOrError, Result};

object! {
    /// Threads and scratch memory that several models share.
    Runtime(bert_runtime, bert_runtime_free)
}

impl Runtime {
    /// threads: 0 for the cores that the process may use; memory_bytes: 0 for no limit.
    pub fn new(threads: usize, memory_bytes: usize) -> Result<Self> {
        let mut runtime = ptr::null_mut();
        let options = zeroed!(bert_runtime_options { threads: threads, memory_bytes: memory_bytes });
        check(unsafe { sys::bert_runtime_create(&options, &mut runtime) })?;
        Ok(Self(runtime))
    }

    pub fn threads(&self) -> usize {
        unsafe { sys::bert_runtime_threads(self.0) }
    }
}

/// The type of the numbers in the linear layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    Stored = 0,
    Float32 = 1,
    Int8 = 2,
    Bfloat16 = 3,
}

/// Options for loading a model. With the defaults, the model's files decide.
#[derive(Clone, Copy, Default)]
pub struct LoadOptions<'a> {
    /// Number of threads for one call; 0: the cores that the process's affinity and container allow.
    pub threads: usize,
    pub precision: Option<Precision>,
    /// Branch, tag or commit of a model in the hub's local cache; None: "main".
    pub revision: Option<&'a str>,
    /// The route or the adapter of a model with several, such as "query".
    pub task: Option<&'a str>,
    /// Directory or name of an adapter (LoRA).
    pub adapter: Option<&'a str>,
    /// Directory of the encoder, for a GLiNER model that only names its encoder.
    pub encoder: Option<&'a str>,
    /// A runtime that is shared with other models; then threads must be 0.
    pub runtime: Option<&'a Runtime>,
    pub check_tensors: bool,
    pub ignore_unexpected: bool,
}

object! {
    /// A loaded model. Any number of threads may use one at the same time.
    Model(bert_model, bert_model_free)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    Cls = 1,
    Mean = 2,
    Max = 3,
    Pooler = 4,
    MeanSqrtLength = 5,
    WeightedMean = 6,
    LastToken = 7,
}

/// Options for computing a text's vector. With the defaults, the model's files decide.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmbedOptions<'a> {
    pub pooling: Option<Pooling>,
    pub normalize: Option<bool>,
    /// Keeps only so many of a vector's first numbers (Matryoshka).
    pub dimensions: Option<usize>,
    /// Name of one of the model's prompts, which is put before a text.
    pub prompt: Option<&'a str>,
    /// Whether a too long text is cut, which is the default, or is an error.
    pub long_text: Option<CutOrError>,
}

/// How much of a text was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    pub tokens: usize,
    /// Number of tokens that were not read.
    pub truncated_tokens: usize,
    pub unknown_tokens: usize,
}

/// Vectors of several texts, in the order of the texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vectors {
    pub data: Vec<f32>,
    /// Size of a vector.
    pub size: usize,
    pub reports: Vec<Report>,
}

impl Vectors {
    pub fn iter(&self) -> std::slice::ChunksExact<'_, f32> {
        self.data.chunks_exact(self.size.max(1))
    }

    /// [texts, size]
    #[cfg(feature = "ndarray")]
    pub fn into_array(self) -> ndarray::Array2<f32> {
        let shape = (self.data.len() / self.size.max(1), self.size);
        ndarray::Array2::from_shape_vec(shape, self.data).expect("rows of one size")
    }
}

/// The hidden states of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    pub ids: Vec<i32>,
    /// \[tokens, hidden\]
    pub last_hidden_state: Vec<f32>,
    /// \[hidden\]; empty if the model has no pooler.
    pub pooler_output: Vec<f32>,
}

pub(crate) fn long_text(chosen: Option<CutOrError>) -> i32 {
    chosen.map_or(0, |chosen| if chosen == CutOrError::Cut { 1 } else { 3 })
}

/// A function that is called with the numbers of texts and tokens done so far. It returns whether the call continues.
type Progress<'a> = &'a mut dyn FnMut(usize, usize) -> bool;

/// A progress function for the library, and the panic that it raised, if any.
struct Watch<'a>(Progress<'a>, Option<Box<dyn Any + Send>>);

extern "C" fn watch(context: *mut c_void, texts: usize, tokens: usize) -> c_int {
    let Watch(progress, panicked) = unsafe { &mut *context.cast::<Watch>() };
    catch_unwind(AssertUnwindSafe(|| c_int::from(progress(texts, tokens)))).unwrap_or_else(|panic| {
        *panicked = Some(panic);
        0
    })
}

/// Calls the library with a progress function. If the function panicked, the panic continues after the call.
pub(crate) fn watched<R>(progress: Progress, call: impl FnOnce(sys::bert_progress, *mut c_void) -> R) -> R {
    let mut state = Watch(progress, None);
    let result = call(Some(watch), (&mut state as *mut Watch).cast());
    if let Some(panic) = state.1 {
        resume_unwind(panic);
    }
    result
}

impl Model {
    /// Loads the small English model inside the library.
    pub fn builtin() -> Result<Self> {
        Self::load_with(None, LoadOptions::default())
    }

    /// Loads a directory in the Hugging Face layout, or a model by its name in the hub's local cache.
    pub fn load(name: &str) -> Result<Self> {
        Self::load_with(Some(name), LoadOptions::default())
    }

    /// name: None for the built-in model.
    pub fn load_with(name: Option<&str>, options: LoadOptions) -> Result<Self> {
        let texts = c_strings([name, options.revision, options.task, options.adapter, options.encoder])?;
        let given = zeroed!(bert_load_options {
            threads: options.threads,
            precision: options.precision.map_or(0, |precision| precision as i32),
            revision: pointer(&texts[1]),
            task: pointer(&texts[2]),
            adapter: pointer(&texts[3]),
            encoder: pointer(&texts[4]),
            runtime: options.runtime.map_or(ptr::null(), |runtime| runtime.0 as *const _),
            check_tensors: options.check_tensors.into(),
            ignore_unexpected: options.ignore_unexpected.into(),
        });
        let mut model = ptr::null_mut();
        check(unsafe { sys::bert_model_load(pointer(&texts[0]), &given, &mut model) })?;
        Ok(Self(model))
    }

    pub fn hidden_size(&self) -> usize {
        unsafe { sys::bert_model_hidden_size(self.0) }
    }

    /// The default limit of a sequence in tokens.
    pub fn max_length(&self) -> usize {
        unsafe { sys::bert_model_max_length(self.0) }
    }

    /// Returns messages about how the files were read, one line each.
    pub fn notices(&self) -> Vec<&str> {
        (0..).map_while(|index| unsafe { text_of(sys::bert_model_notice(self.0, index)) }).collect()
    }

    /// Computes the vector of a text.
    pub fn embed(&self, text: &str) -> Result<Vec<f32>> {
        Ok(self.embed_with(text, EmbedOptions::default())?.0)
    }

    pub fn embed_with(&self, text: &str, options: EmbedOptions) -> Result<(Vec<f32>, Report)> {
        with_options(options, |mut given| {
            let mut report: sys::bert_text_report = unsafe { std::mem::zeroed() };
            given.report = &mut report;
            let mut vector = vec![0.0; self.size(&given)?];
            let (data, bytes) = (text.as_ptr().cast(), text.len());
            check(unsafe { sys::bert_embed_text(self.0, data, bytes, &given, vector.as_mut_ptr(), vector.len()) })?;
            Ok((vector, report_of(&report)))
        })
    }

    /// Computes the vectors of many texts, on all threads.
    pub fn embed_texts<T: AsRef<str>>(&self, texts: &[T], options: EmbedOptions) -> Result<Vectors> {
        self.embed_texts_while(texts, options, |_, _| true)
    }

    /// Computes the vectors of many texts. After every few forward passes, `progress` is called with the numbers of
    /// texts and tokens done so far. If it returns false, the call ends with [`crate::Error::Cancelled`].
    pub fn embed_texts_while<T: AsRef<str>>(
        &self,
        texts: &[T],
        options: EmbedOptions,
        mut progress: impl FnMut(usize, usize) -> bool,
    ) -> Result<Vectors> {
        with_options(options, |mut given| {
            let size = self.size(&given)?;
            let mut data = vec![0.0; texts.len() * size];
            let (starts, bytes) = starts_and_bytes(texts);
            let mut reports = vec![unsafe { std::mem::zeroed() }; texts.len()];
            check(watched(&mut progress, |call, context| unsafe {
                given.progress = call;
                given.progress_context = context;
                let (vectors, floats) = (data.as_mut_ptr(), data.len());
                let (starts, bytes, reports) = (starts.as_ptr(), bytes.as_ptr(), reports.as_mut_ptr());
                sys::bert_embed_texts(self.0, starts, bytes, texts.len(), &given, vectors, floats, reports)
            }))?;
            Ok(Vectors { data, size, reports: reports.iter().map(report_of).collect() })
        })
    }

    /// Computes the vectors of any number of texts, in their order. Reads a few hundred texts at a time. The iteration
    /// continues after a text that fails.
    pub fn embed_iter<'a, I>(
        &'a self,
        texts: I,
        options: EmbedOptions<'a>,
    ) -> impl Iterator<Item = Result<(Vec<f32>, Report)>> + 'a
    where
        I: IntoIterator + 'a,
        I::Item: AsRef<str> + 'a,
    {
        let mut texts = texts.into_iter();
        let next = move || -> Option<Vec<_>> {
            let batch: Vec<_> = texts.by_ref().take(256).collect();
            match self.embed_texts(&batch, options) {
                _ if batch.is_empty() => None,
                Ok(found) => Some(found.iter().map(<[f32]>::to_vec).zip(found.reports.clone()).map(Ok).collect()),
                Err(_) => Some(batch.iter().map(|text| self.embed_with(text.as_ref(), options)).collect()),
            }
        };
        std::iter::from_fn(next).flatten()
    }

    /// Computes the hidden states of a text's tokens.
    pub fn encode(&self, text: &str) -> Result<Encoded> {
        let tokens =
            self.tokenize(text, None, crate::TokenizeOptions { max_length: self.max_length(), ..Default::default() })?;
        let (ids, type_ids) = (tokens.ids, tokens.type_ids);
        let sequence = sys::bert_sequence {
            ids: ids.as_ptr(),
            type_ids: type_ids.as_ptr(),
            attention_mask: ptr::null(),
            size: ids.len(),
        };
        let mut sizes = zeroed!(bert_encode_sizes {});
        check(unsafe { sys::bert_encode_get_sizes(self.0, &sequence, &mut sizes) })?;
        let mut last_hidden_state = vec![0.0; sizes.last_hidden_state];
        let mut pooler_output = vec![0.0; sizes.pooler_output];
        let mut buffers: sys::bert_encode_buffers = unsafe { std::mem::zeroed() };
        buffers.last_hidden_state = floats(&mut last_hidden_state);
        buffers.pooler_output = floats(&mut pooler_output);
        check(unsafe { sys::bert_encode(self.0, &sequence, 1, &buffers) })?;
        Ok(Encoded { ids, last_hidden_state, pooler_output })
    }

    fn size(&self, options: &sys::bert_embed_options) -> Result<usize> {
        let mut size = 0;
        check(unsafe { sys::bert_embed_get_size(self.0, options, &mut size) })?;
        Ok(size)
    }
}

fn floats(data: &mut [f32]) -> sys::bert_floats {
    let start = if data.is_empty() { ptr::null_mut() } else { data.as_mut_ptr() };
    sys::bert_floats { data: start, capacity: data.len() }
}

fn report_of(report: &sys::bert_text_report) -> Report {
    Report { tokens: report.tokens, truncated_tokens: report.truncated_tokens, unknown_tokens: report.unknown_tokens }
}

/// Calls a function with the options in the library's form.
pub(crate) fn with_options<R>(
    options: EmbedOptions,
    call: impl FnOnce(sys::bert_embed_options) -> Result<R>,
) -> Result<R> {
    let prompt = options.prompt.map(c_string).transpose()?;
    call(zeroed!(bert_embed_options {
        pooling: options.pooling.map_or(0, |pooling| pooling as i32),
        normalize: options.normalize.map_or(0, |normalize| if normalize { 1 } else { 2 }),
        dimensions: options.dimensions.unwrap_or(0),
        prompt: pointer(&prompt),
        long_text: long_text(options.long_text),
    }))
}
