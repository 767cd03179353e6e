#!/usr/bin/env node
// The package's only command, npx bert-infer fetch, for users without the program bert-infer.
const { fetchModel } = require("./index.cjs");

const [command, name, option, revision] = process.argv.slice(2);
if (command !== "fetch" || name === undefined || (option !== undefined && (option !== "--revision" || !revision))) {
  console.error("usage: bert-infer fetch ORGANISATION/NAME [--revision REVISION]");
  process.exit(2);
}
const onProgress = ({ file, loaded, total }) => {
  if (loaded === total) console.error(`${file}: ${total} bytes`);
};
fetchModel(name, { revision, onProgress }).then((directory) => console.log(directory), (error) => {
  console.error(`bert-infer: error: ${error.message}`);
  process.exitCode = 1;
});
