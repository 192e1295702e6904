// Appends messages, searches with a deadline, and goes through the results page by page.
import { createClient, ConnectError, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { IngestService } from "../gen/everword/v1/ingest_service_pb.js";
import { Role } from "../gen/everword/v1/memory_pb.js";
import { SearchService } from "../gen/everword/v1/search_service_pb.js";

const key = process.env.EVERWORD_API_KEY;
const authorize: Interceptor = (next) => (request) => {
  if (key) request.header.set("authorization", `Bearer ${key}`);
  return next(request);
};
const transport = createGrpcTransport({
  baseUrl: `http://${process.env.EVERWORD_ADDRESS ?? "127.0.0.1:50050"}`,
  interceptors: [authorize],
});
const ingest = createClient(IngestService, transport);
const search = createClient(SearchService, transport);

const texts = ["The VPN drops every day at noon.", "The VPN was moved in May.", "The VPN has a new key."];
const written = await ingest.appendMessages({
  target: { case: "conversation", value: { key: { sessionKey: "thread-7", agent: "opus" } } },
  messages: texts.map((content) => ({ content, role: Role.USER, author: "Ana" })),
  requestId: crypto.randomUUID(),
});

try {
  let pageToken = "";
  do {
    const page = await search.search(
      { query: "VPN", pageSize: 2, pageToken, atLeastAsFresh: written.consistencyToken },
      { timeoutMs: 5000 },
    );
    for (const { score, memory } of page.results) {
      console.log(score.toFixed(2), memory?.author, memory?.content);
    }
    pageToken = page.nextPageToken;
  } while (pageToken);
} catch (error) {
  // The details say what to do; the message is for people.
  console.error(ConnectError.from(error).message);
  process.exitCode = 1;
}
