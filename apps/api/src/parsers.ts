// Parser service for containers without namespaces: starts the processes that read untrusted files, for another container's server.
import { startParserService } from './platform/sandbox/parser-service.ts'

const socket = process.env.PARSER_SOCKET
if (socket === undefined) {
  console.error('Set PARSER_SOCKET to the socket to listen on.')
  process.exit(1)
}
const server = await startParserService(socket)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    server.close()
    process.exit(0)
  })
}
