//! A service that searches the lines of a file by their meaning.
//!     cargo run -- FILE [MODEL]
//!     curl 'localhost:3000/search?q=music&top=3'
use std::sync::Arc;

use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::{routing::get, Json, Router};
use bert_infer::{Index, LoadOptions, Model, Scan};
use serde::{Deserialize, Serialize};

struct Search {
    model: Model,
    index: Index,
    lines: Vec<String>,
}

#[derive(Deserialize)]
struct Question {
    q: String,
    top: Option<usize>,
}

#[derive(Serialize)]
struct Found {
    score: f64,
    text: String,
}

fn search(of: &Search, question: &Question) -> bert_infer::Result<Vec<Found>> {
    let hits = of.index.search(&of.model.embed(&question.q)?, question.top.unwrap_or(10))?;
    Ok(hits.iter().map(|hit| Found { score: hit.score, text: of.lines[hit.row].clone() }).collect())
}

/// Computes in another thread, so that other connections are served meanwhile.
async fn answer(
    State(of): State<Arc<Search>>,
    Query(question): Query<Question>,
) -> Result<Json<Vec<Found>>, (StatusCode, String)> {
    let found = tokio::task::spawn_blocking(move || search(&of, &question)).await.expect("no panic");
    found.map(Json).map_err(|error| (StatusCode::BAD_REQUEST, error.to_string()))
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut given = std::env::args().skip(1);
    let lines: Vec<_> = std::fs::read_to_string(given.next().ok_or("no FILE")?)?.lines().map(str::to_owned).collect();
    let model = Model::load_with(given.next().as_deref(), LoadOptions::default())?;
    let vectors = model.embed_texts(&lines, Default::default())?;
    let index = Index::new(&vectors.data, vectors.size, Scan::Float32)?;
    let routes = Router::new().route("/search", get(answer)).with_state(Arc::new(Search { model, index, lines }));
    axum::serve(tokio::net::TcpListener::bind("localhost:3000").await?, routes).await?;
    Ok(())
}
