// Wrong answers to a request for a model's weights, each with the expected error.

/** Sends the first half of the bytes and ends the connection. Sends the second half if that range is requested. */
const inHalves = (tag) => (answer, bytes, range) => {
  const at = bytes.length >> 1;
  if (range === `bytes=${at}-`) {
    const headers = { etag: tag, "content-range": `bytes ${at}-${bytes.length - 1}/${bytes.length}` };
    return answer.writeHead(206, headers).end(bytes.subarray(at));
  }
  answer.writeHead(200, { etag: '"1"', "content-length": bytes.length });
  answer.write(bytes.subarray(0, at), () => setTimeout(() => answer.destroy(), 50));
};
export const resumed = inHalves('"1"');

/** Answers to a request for the weights. bytes: the right weights. */
export const weights = {
  cut: (answer, bytes) => {
    answer.writeHead(200, { "content-length": bytes.length });
    answer.write(bytes.subarray(0, 100), () => answer.destroy());
  },
  short: (answer, bytes) => answer.end(bytes.subarray(0, 100)),
  huge: (answer) => {
    answer.writeHead(200, { "content-length": 5e9 });
    answer.write("x", () => answer.destroy());
  },
  wrong: (answer, bytes) => answer.end(Buffer.alloc(bytes.length, 7)),
  failing: (answer) => answer.writeHead(503).end(),
  changed: inHalves('"2"'),
};

/** The expected error code and message of each answer. */
export const failures = {
  cut: ["BERT_IO", /model.safetensors: /],
  short: ["BERT_INVALID_FILE", /model.safetensors/],
  huge: ["BERT_OUT_OF_MEMORY", /no memory for 5000000000 bytes/],
  wrong: ["BERT_INVALID_FILE", /model.safetensors/],
  changed: ["BERT_IO", /model.safetensors: reading failed: /],
  failing: ["BERT_IO", /model.safetensors: the server answered 503, expected 200/],
};
