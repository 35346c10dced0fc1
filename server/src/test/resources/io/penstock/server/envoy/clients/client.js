// Asks the rate limit service with @grpc/grpc-js. Prints a line for each call, as client.py does.
// The messages are encoded by hand, because there are no generated ones of Envoy here.
const grpc = require('@grpc/grpc-js');

const client = new grpc.Client('127.0.0.1:' + process.argv[2], grpc.credentials.createInsecure());

function field(number, content) {
  return Buffer.concat([Buffer.from([(number << 3) | 2, content.length]), content]);
}

function request(domain, entries, descriptors = 1) {
  const descriptor = Buffer.concat(entries.map(([key, value]) =>
    field(1, Buffer.concat([field(1, Buffer.from(key)), field(2, Buffer.from(value))]))));
  return Buffer.concat(
    [field(1, Buffer.from(domain))].concat(Array(descriptors).fill(field(2, descriptor))));
}

function varint(message, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    value |= (message[at] & 0x7f) << shift;
    if (message[at++] < 0x80) return [value, at];
  }
}

// Returns the fields of a message by number: numbers, or bytes.
function fields(message) {
  const found = {};
  for (let at = 0; at < message.length;) {
    let tag, value;
    [tag, at] = varint(message, at);
    [value, at] = varint(message, at);
    if ((tag & 7) === 2) {
      value = message.subarray(at, at += value);
    }
    if (!((tag >> 3) in found)) found[tag >> 3] = value;
  }
  return found;
}

function call(path, message) {
  return new Promise((resolve, reject) => client.makeUnaryRequest(
    path, bytes => bytes, bytes => bytes, message, new grpc.Metadata({waitForReady: true}),
    {deadline: Date.now() + 60000}, (error, answer) => error ? reject(error) : resolve(answer)));
}

async function main() {
  const path = '/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit';
  for (const message of [
    request('shop', [['user', 'ann']]),
    request('shop', [['user', 'ann']]),
    request('shop', [['user', 'ann']]),
    request('shop', [['user', 'ben']]),
    request('shop', [['unknown', 'x']]),
    request('shop', [['user', 'ann']], 101),
    request('', [['user', 'ann']]),
  ]) {
    try {
      const answer = fields(await call(path, message));
      const status = fields(answer[2]);
      console.log('code', answer[1], 'status', status[1], 'remaining', status[3] || 0);
    } catch (error) {
      // grpc-js decodes details by decodeURI, which leaves %3A for a colon.
      console.log(grpc.status[error.code], decodeURIComponent(error.details));
    }
  }
  console.log('health', fields(await call('/grpc.health.v1.Health/Check', Buffer.alloc(0)))[1]);
  client.close();
}

main();
