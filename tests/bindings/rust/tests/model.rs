//! Tests how the crate passes arguments to the library and returns its results. Also tests wrong inputs, cancelled
//! calls, and threads.
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bert_infer::*;
use bert_infer_tests::{bytes, lines, load, path, setting};
use serde_json::json;

fn texts() -> Vec<String> {
    let text = std::fs::read_to_string(setting("BERT_TEST_TEXTS")).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn has_the_programs_bits() {
    let (model, texts) = (Model::builtin().unwrap(), texts());
    let vectors = model.embed_texts(&texts, Default::default()).unwrap();
    let file = std::fs::read(setting("BERT_TEST_VECTORS")).unwrap();
    let size = texts.len() * model.hidden_size() * 4;
    assert_eq!(bytes(&vectors.data), &file[file.len() - size..]);
    for (text, vector) in texts.iter().zip(vectors.iter()) {
        assert_eq!(model.embed(text).unwrap(), vector);
    }
    let one_by_one: Vec<_> = model
        .embed_iter(texts.iter(), Default::default())
        .map(|one| one.unwrap().0)
        .collect();
    assert_eq!(one_by_one.concat(), vectors.data);
}

#[test]
fn refuses_wrong_options() {
    let (wrong, model) = (lines("BERT_TEST_WRONG"), load("embedder"));
    assert!(wrong.len() > 200);
    for one in &wrong {
        let found = model.task_json(one["task"].as_str().unwrap(), &one["options"], &["a"]);
        assert!(
            matches!(found, Err(Error::InvalidArgument(ref text)) if !text.is_empty()),
            "{:?} of {}",
            found,
            one
        );
    }
}

#[test]
fn refuses_wrong_arguments() {
    let model = load("embedder");
    let load = |name: &str, options| {
        Model::load_with(Some(name), options)
            .map(|_| ())
            .unwrap_err()
    };
    assert!(matches!(
        load("/no/such/model", Default::default()),
        Error::NotFound(_)
    ));
    assert!(matches!(
        load("a\0b", Default::default()),
        Error::InvalidArgument(_)
    ));
    let folder = path("embedder").unwrap();
    let threads = LoadOptions {
        threads: 1025,
        ..Default::default()
    };
    assert!(matches!(load(&folder, threads), Error::InvalidArgument(_)));
    let dimensions = EmbedOptions {
        dimensions: Some(100_000),
        ..Default::default()
    };
    assert!(matches!(
        model.embed_with("a", dimensions),
        Err(Error::InvalidArgument(_))
    ));
    let prompt = EmbedOptions {
        prompt: Some("xyzzy"),
        ..Default::default()
    };
    assert!(matches!(
        model.embed_texts(&["a"], prompt),
        Err(Error::NotFound(_))
    ));
    let long = EmbedOptions {
        long_text: Some(CutOrError::Error),
        ..Default::default()
    };
    assert!(matches!(
        model.embed_with(&"the fox ".repeat(99), long),
        Err(Error::InvalidText(_))
    ));
    let found: Vec<_> = model
        .embed_iter(["a".to_owned(), "fox ".repeat(99)], long)
        .map(|one| one.is_ok())
        .collect();
    assert_eq!(found, [true, false]);
    assert!(matches!(
        model.task(&RerankOptions::default()).unwrap().run(&["a"]),
        Err(Error::InvalidArgument(_))
    ));
    assert!(matches!(
        model.task(&AnswerOptions::default()).unwrap().run(&["a"]),
        Err(Error::InvalidArgument(_))
    ));
    assert!(matches!(model.token(-7), Err(Error::NotFound(_))));
    assert!(matches!(
        cosine_similarity(&[1.0], &[1.0, 2.0]),
        Err(Error::InvalidArgument(_))
    ));
    for size in [0, 2] {
        assert!(matches!(
            Index::new(&[1.0], size, Scan::Float32),
            Err(Error::InvalidArgument(_))
        ));
    }
    let index = Index::new(&[1.0, 0.0, 0.0, 1.0], 2, Scan::Float32).unwrap();
    assert!(matches!(
        index.search(&[1.0], 1),
        Err(Error::InvalidArgument(_))
    ));
    assert!(matches!(
        Index::open("/no/such/index"),
        Err(Error::NotFound(_) | Error::Io(_))
    ));
}

#[test]
fn tells_what_it_read() {
    let model = load("embedder");
    let (_, report) = model
        .embed_with(&"the fox ".repeat(99), Default::default())
        .unwrap();
    assert!(report.truncated_tokens > 0);
    let tokens = model
        .tokenize("the 🎻 fox", None, Default::default())
        .unwrap();
    assert_eq!(tokens.offsets[1..], [(0, 3), (4, 8), (9, 12), (0, 0)]);
    assert_eq!(
        (
            tokens.unknown_tokens,
            model.token(tokens.ids[1]).unwrap().as_str()
        ),
        (1, "the")
    );
    assert_eq!(model.decode(&tokens.ids, true).unwrap(), "the fox");
    let encoded = model.encode("the fox").unwrap();
    assert_eq!(
        encoded.last_hidden_state.len(),
        encoded.ids.len() * model.hidden_size()
    );
    assert!(model
        .embed_texts::<&str>(&[], Default::default())
        .unwrap()
        .data
        .is_empty());
    let nul = "a\0b";
    assert_eq!(
        model.embed(nul).unwrap(),
        model.embed_texts(&[nul], Default::default()).unwrap().data
    );
    assert_eq!(version(), "0.1.0");
}

#[test]
fn runs_tasks() {
    let tagger = load("firing-tagger");
    let task = tagger
        .task(&TagOptions {
            aggregation: Some(Aggregation::First),
            ..Default::default()
        })
        .unwrap();
    let words = ["the", "brown", "fox"];
    let found = task
        .run(&[Input::Words(&words), Input::Text("the brown fox")])
        .unwrap();
    assert_eq!(found[0].len(), 3);
    assert_eq!(found[1][0].label, "ANIMAL");
    let redacted = tagger
        .task(&RedactOptions::default())
        .unwrap()
        .run(&["the brown fox"])
        .unwrap();
    assert_eq!(
        (redacted[0].text.as_str(), redacted[0].replaced[0].start),
        ("the <ANIMAL>", 4)
    );
    let json = tagger
        .task_json("redact", &json!({"mask": "*"}), &["the brown fox"])
        .unwrap();
    assert_eq!(json[0].as_ref().unwrap().value["text"], "the *********");
    let strict = load("classes").task(&ClassifyOptions::default()).is_ok();
    assert!(strict);
    let model = load("classes");
    let task = model
        .task(&ClassifyOptions {
            long_text: Some(LongText::Error),
            ..Default::default()
        })
        .unwrap();
    let long = "the fox ".repeat(99);
    let each = task.run_each(&["a", &long], |_, _| true).unwrap();
    assert!(each[0].is_ok() && matches!(each[1], Err(Error::InvalidText(_))));
    assert!(
        matches!(task.run(&["a", &long]), Err(Error::InvalidText(ref text)) if text.starts_with("inputs[1]: "))
    );
    assert!(matches!(
        task.run_each(&["a"], |_, _| false),
        Err(Error::Cancelled(_))
    ));
}

#[test]
fn searches() {
    let model = Model::builtin().unwrap();
    let vectors = model.embed_texts(&texts(), Default::default()).unwrap();
    let (query, size) = (model.embed("music").unwrap(), vectors.size);
    let index = Index::new(&vectors.data, size, Scan::Float32).unwrap();
    let hits = index.search(&query, 3).unwrap();
    let all = load("sparse").embed_sparse(&["the fox", "a"], usize::MAX, None);
    assert_eq!(all.unwrap().len(), 2);
    assert_eq!(
        hits.iter().map(|hit| hit.row + 1).collect::<Vec<_>>(),
        [3, 20, 16]
    );
    let file = std::env::temp_dir().join(format!("bert-infer-{}.index", std::process::id()));
    Index::write(
        file.to_str().unwrap(),
        &vectors.data,
        size,
        Scan::Int8,
        "these",
    )
    .unwrap();
    let opened = Index::open(file.to_str().unwrap()).unwrap();
    assert_eq!(
        (opened.label(), opened.search(&query, 3).unwrap()),
        ("these", hits)
    );
    std::fs::remove_file(file).unwrap();
}

#[test]
fn ends_where_it_is_told() {
    let (model, texts) = (Model::builtin().unwrap(), texts());
    let many: Vec<_> = texts.iter().cycle().take(2000).collect();
    let is_cancelled = AtomicBool::new(false);
    let done = model.embed_texts_while(&many, Default::default(), |texts, _| {
        is_cancelled.store(texts > 0, Ordering::Relaxed);
        !is_cancelled.load(Ordering::Relaxed)
    });
    assert!(matches!(done, Err(Error::Cancelled(_))));
    let panics =
        || model.embed_texts_while(&many, Default::default(), |_, _| panic!("of the caller"));
    assert!(catch_unwind(AssertUnwindSafe(panics)).is_err());
    model.embed("still there").unwrap();
}

#[test]
fn serves_many_threads() {
    let runtime = Runtime::new(2, 0).unwrap();
    assert_eq!(runtime.threads(), 2);
    let options = LoadOptions {
        runtime: Some(&runtime),
        ..Default::default()
    };
    let (model, expected) = (
        Model::load_with(None, options).unwrap(),
        Model::builtin().unwrap().embed("a fox").unwrap(),
    );
    drop(runtime);
    let errors = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (model, expected, errors) = (&model, &expected, &errors);
            scope.spawn(move || {
                for i in 0..25 {
                    assert_eq!(&model.embed("a fox").unwrap(), expected);
                    let name = format!("/no/such/{}-{}", thread, i);
                    assert!(Model::load(&name)
                        .map(|_| ())
                        .unwrap_err()
                        .message()
                        .contains(&name));
                    errors.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(errors.into_inner(), 200);
}
