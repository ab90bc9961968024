// Preloaded into the Node doubles. fauxqs 1.9.2 always listens on 0.0.0.0 and has no option for it, and a
// port chosen beforehand can be taken by somebody else: so every listen of the process goes to a free
// loopback port, and the port is told on standard output. Idle connections stay: Node ends them after five seconds, and
// a client that writes just then does not know whether its write was taken.
"use strict";
const net = require("node:net");
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (...args) {
  const done = args.find((a) => typeof a === "function");
  this.once("listening", () => process.stdout.write(`listening on http://127.0.0.1:${this.address().port}\n`));
  if ("keepAliveTimeout" in this) this.keepAliveTimeout = 0;
  const where = { port: 0, host: "127.0.0.1" };
  return done ? listen.call(this, where, done) : listen.call(this, where);
};
