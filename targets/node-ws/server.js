// A WebSocket echo with ws, in one process of Node.js.
const { WebSocketServer } = require("ws");

const [host, port] = process.argv.slice(2);
const server = new WebSocketServer({ host, port: Number(port), perMessageDeflate: false });
server.on("connection", (socket) => {
  socket.on("message", (message, binary) => socket.send(message, { binary }));
  socket.on("error", () => socket.terminate());
});
