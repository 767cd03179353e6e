//! The interface of fastembed's TextEmbedding over this crate. A program that uses fastembed changes only its import.
use bert_infer::{Error, Model};

pub struct TextEmbedding(Model);

impl TextEmbedding {
    /// name: a model's name in the hub's local cache, or a directory; None: the built-in model.
    pub fn try_new(name: Option<&str>) -> Result<Self, Error> {
        Ok(Self(Model::load_with(name, Default::default())?))
    }

    /// A pass gets at most batch_size texts. With None, one call gets all texts and the library divides them.
    pub fn embed<T: AsRef<str>>(&self, texts: Vec<T>, batch_size: Option<usize>) -> Result<Vec<Vec<f32>>, Error> {
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(batch_size.unwrap_or(texts.len()).max(1)) {
            vectors.extend(self.0.embed_texts(batch, Default::default())?.iter().map(<[f32]>::to_vec));
        }
        Ok(vectors)
    }
}

fn main() -> Result<(), Error> {
    let model = TextEmbedding::try_new(std::env::args().nth(1).as_deref())?;
    let vectors = model.embed(vec!["passage: Hello, World!", "query: Hello, World!"], None)?;
    println!("{} vectors of {} numbers", vectors.len(), vectors[0].len());
    Ok(())
}
