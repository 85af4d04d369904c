// A service for containers without namespaces: starts the processes that read strangers' files, for a server elsewhere.
import { startParserService } from './platform/sandbox/parser-service.ts'

const socket = process.env.PARSER_SOCKET
if (socket === undefined) {
  console.error('PARSER_SOCKET must say where to listen.')
  process.exit(1)
}
const server = await startParserService(socket)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    server.close()
    process.exit(0)
  })
}
