// node validate.js FILE...: a line for each file; exit 1 if any has an error.
const fs = require("fs");
const path = require("path");
const validator = require("gltf-validator");

async function report(file) {
  const folder = path.dirname(file);
  const result = await validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {
    uri: path.basename(file),
    maxIssues: 0,
    externalResourceFunction: (uri) => Promise.resolve(new Uint8Array(fs.readFileSync(path.join(folder, decodeURIComponent(uri))))),
  });
  return result.issues;
}

(async () => {
  let failed = process.argv.length < 3;
  for (const file of process.argv.slice(2)) {
    const issues = await report(file);
    console.log(`${path.basename(file)}: ${issues.numErrors} errors, ${issues.numWarnings} warnings, ${issues.numInfos} notes`);
    for (const m of issues.messages.filter((m) => m.severity === 0).slice(0, 5)) console.log(`  ${m.code} ${m.pointer}: ${m.message}`);
    failed = failed || issues.numErrors > 0;
  }
  process.exit(failed ? 1 : 0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
