//! Runs the cases of every binding (tests/cases/cases.jsonl), with offsets in bytes.
use std::collections::BTreeMap;

use bert_infer::*;
use bert_infer_tests::{digest, lines, load};
use serde_json::{json, Value};

fn expected(value: &Value) -> Value {
    match value {
        Value::Array(list) => list.iter().map(expected).collect(),
        Value::Object(members) => {
            let kept = members
                .iter()
                .filter(|(name, _)| *name != "codePoints" && *name != "utf16");
            Value::Object(
                kept.map(|(name, inner)| (name.clone(), expected(inner)))
                    .collect(),
            )
        }
        _ => value.clone(),
    }
}

fn text<'a>(case: &'a Value, name: &str) -> &'a str {
    case[name].as_str().unwrap()
}

fn texts<'a>(case: &'a Value, name: &str) -> Vec<&'a str> {
    case[name]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one.as_str().unwrap())
        .collect()
}

fn size(case: &Value, name: &str) -> Option<usize> {
    case[name].as_u64().map(|number| number as usize)
}

fn input(case: &Value) -> Input<'_> {
    match case["pair"].as_str() {
        Some(pair) => Input::Pair(text(case, "text"), pair),
        None => Input::Text(text(case, "text")),
    }
}

fn labels(found: &[Label]) -> Value {
    found
        .iter()
        .map(|one| json!({"label": one.label, "score": one.score}))
        .collect()
}

/// Returns the options of a task. The case has their names in camel case.
fn options<T: serde::de::DeserializeOwned>(case: &Value, names: &[(&str, &str)]) -> T {
    let given = names.iter().filter(|(_, name)| !case[*name].is_null());
    let members = given
        .map(|(option, name)| (option.to_string(), case[*name].clone()))
        .collect();
    serde_json::from_value(Value::Object(members)).unwrap()
}

const WINDOWS: [(&str, &str); 2] = [("stride", "stride"), ("window_scores", "windowScores")];
const LABELS: [(&str, &str); 5] = [
    WINDOWS[0],
    WINDOWS[1],
    ("labels", "labels"),
    ("multi_label", "multiLabel"),
    ("hypothesis_template", "template"),
];
const ENTITIES: [(&str, &str); 6] = [
    ("scheme", "scheme"),
    ("stride", "stride"),
    ("aggregation", "aggregation"),
    ("labels", "labels"),
    ("threshold", "threshold"),
    ("nested", "nested"),
];

fn explained(why: Explanation) -> Value {
    let names = |parts: &[ExplainedPart]| {
        parts
            .iter()
            .map(|part| part.text.clone())
            .collect::<Vec<_>>()
    };
    let mut found =
        json!({"first": names(&why.first), "second": names(&why.second), "terms": why.terms});
    if why.scores.iter().any(|score| !score.label.is_empty()) {
        let score = |one: &ExplainedScore| json!({"label": one.label, "score": one.score, "remainder": one.remainder});
        found["labels"] = why.scores.iter().map(score).collect();
        return found;
    }
    let kind = match why.kind {
        ExplanationKind::TokenPairs => "token pairs",
        ExplanationKind::Entries => "entries",
        ExplanationKind::Matches => "matches",
        ExplanationKind::WordsLeftOut => "words left out",
    };
    found["kind"] = kind.into();
    found["function"] = why.function.into();
    found["score"] = why.scores[0].score.into();
    found["remainder"] = why.scores[0].remainder.into();
    found
}

fn result(model: &Model, case: &Value) -> Result<Value> {
    Ok(match text(case, "call") {
        "tokenize" => {
            let tokens = model.tokenize(
                text(case, "text"),
                case["pair"].as_str(),
                Default::default(),
            )?;
            json!({"ids": tokens.ids, "typeIds": tokens.type_ids, "bytes": tokens.offsets})
        }
        "embed" => {
            let how = EmbedOptions {
                dimensions: size(case, "dimensions"),
                ..Default::default()
            };
            model
                .embed_texts(&texts(case, "texts"), how)?
                .iter()
                .map(|vector| Value::from(digest(vector)))
                .collect()
        }
        "sparse" => {
            let vectors = model.embed_sparse(
                &texts(case, "texts"),
                size(case, "maxActive").unwrap(),
                None,
            )?;
            vectors
                .iter()
                .map(|one| json!({"ids": one.ids, "weights": digest(&one.weights)}))
                .collect()
        }
        "classify" => labels(
            &model
                .task::<ClassifyOptions>(&options(case, &WINDOWS))?
                .run(&[input(case)])?[0],
        ),
        "scoreLabels" => labels(
            &model
                .task::<ClassifyOptions>(&options(case, &LABELS))?
                .run(&[input(case)])?[0],
        ),
        "zeroShot" => labels(
            &model
                .task::<ZeroShotOptions>(&options(case, &LABELS))?
                .run(&[input(case)])?[0],
        ),
        "tag" | "findEntities" => {
            let found = &model
                .task::<TagOptions>(&options(case, &ENTITIES))?
                .run(&[input(case)])?[0];
            let entity = |one: &Entity| json!({"label": one.label, "score": one.score, "bytes": [one.start, one.end]});
            found.iter().map(entity).collect()
        }
        "answer" => {
            let task = model.task::<AnswerOptions>(&options(case, &[("top_k", "topK")]))?;
            let found = &task.run(&[(text(case, "question"), text(case, "context"))])?[0];
            let answer = |one: &Answer| json!({"answer": one.answer, "score": one.score, "bytes": [one.start, one.end]});
            found.iter().map(answer).collect()
        }
        "fillMask" => {
            let task = model.task::<FillMaskOptions>(&options(
                case,
                &[("top_k", "topK"), ("targets", "targets")],
            ))?;
            json!(task.run(&[text(case, "text")])?[0].value)
        }
        "rerank" => {
            let task = model.task::<RerankOptions>(&options(
                case,
                &[("query", "query"), ("stride", "stride")],
            ))?;
            json!(task.rank(&texts(case, "documents"))?)
        }
        "tokenVectors" => {
            let role = if text(case, "role") == "query" {
                Role::Query
            } else {
                Role::Document
            };
            digest(&model.embed_tokens(text(case, "text"), role)?.data).into()
        }
        "chunks" => {
            let given = text(case, "text");
            let found = model.embed_chunks(given, 0, true, Default::default())?;
            let utf16 = |place: usize| given[..place].encode_utf16().count();
            let places: Vec<_> = found
                .offsets
                .iter()
                .map(|&(start, end)| [utf16(start), utf16(end)])
                .collect();
            return Ok(json!({"vectors": digest(&found.data), "utf16": places}));
        }
        "explainSimilarity" => {
            let of = match case["vectors"].as_str() {
                Some("sparse") => VectorKind::Sparse,
                Some("tokens") => VectorKind::Tokens,
                _ => VectorKind::Dense,
            };
            let pooling = case["pooling"].as_str().map(|_| Pooling::Cls);
            explained(model.explain_similarity(text(case, "a"), text(case, "b"), of, pooling)?)
        }
        "explainLabels" => {
            explained(model.explain_labels(text(case, "text"), case["pair"].as_str())?)
        }
        call => panic!("unknown call {}", call),
    })
}

#[test]
fn all_hold() {
    let cases = lines("BERT_TEST_CASES");
    assert!(cases.len() > 110);
    let mut models = BTreeMap::new();
    for case in &cases {
        let model = models
            .entry(text(case, "model"))
            .or_insert_with_key(|name| load(name));
        match (result(model, case), &case["error"]) {
            (Ok(found), Value::Null) if case["call"] == "chunks" => {
                assert_eq!(found, case["result"])
            }
            (Ok(found), Value::Null) => assert_eq!(found, expected(&case["result"]), "{}", case),
            (Err(error), Value::Object(expected)) => {
                let name = format!("{:?}", error).split('(').next().unwrap().to_owned();
                let code = text(&case["error"], "code")
                    .trim_start_matches("BERT_")
                    .replace('_', "");
                assert_eq!(name.to_uppercase(), code);
                assert!(
                    error
                        .message()
                        .contains(expected["message"].as_str().unwrap()),
                    "{} of {}",
                    error,
                    case
                );
            }
            (found, _) => panic!("{:?} of {}", found, case),
        }
    }
}
