// A small server on Node's http, with a function that is planted: bench/because looks whether it is found.
//   node --perf-basic-prof --no-turbo-inlining hot.js PORT ROUNDS
// Node's map of compiled code does not know what was inlined where, so nothing is.
const http = require("node:http");
const [port, rounds] = process.argv.slice(2).map(Number);
// What a request's work came to: kept, so that no compiler leaves the work out.
let worked = 0;

// The planted function: so many rounds of a shift register.
function hot(rounds) {
  let register = 0x9e3779b9 | 0;
  for (let round = 0; round < rounds; round++) {
    register ^= register << 13;
    register ^= register >>> 17;
    register ^= register << 5;
  }
  return register;
}

const server = http.createServer((_, response) => {
  worked ^= hot(rounds);
  response.writeHead(200, { "Content-Length": 13 });
  response.end("Hello, World!");
});
server.listen(port, "127.0.0.1");
