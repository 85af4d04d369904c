import type { ChatSessionJson } from '@mira/shared'
import type { Account, TestServer } from './server.ts'

/** Sends a message through the API, waits for the whole answer, and returns the id of its conversation. */
export async function sendMessage(
  server: TestServer,
  { token }: Account,
  content: string,
  sessionId?: string,
): Promise<string> {
  const response = await fetch(`${server.url}/api/chat/message`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content, session_id: sessionId, has_images: false, images: [] }),
  })
  const stream = await response.text()
  if (!response.ok) throw new Error(`Sending the message failed with ${response.status}: ${stream}`)
  const id = /"session_id":"([0-9a-f-]{36})"/.exec(stream)?.[1]
  if (id === undefined) throw new Error(`The stream contains no conversation id:\n${stream}`)
  return id
}

/** Creates a conversation with this name and these questions, each with an answer. */
export async function createConversation(
  server: TestServer,
  account: Account,
  name: string,
  questions: readonly string[] = ['Hello there'],
): Promise<string> {
  let id: string | undefined
  for (const question of questions) id = await sendMessage(server, account, question, id)
  if (id === undefined) throw new Error('A conversation needs a question')
  await server.call('PATCH', `/chat/sessions/${id}`, { token: account.token, body: { session_name: name } })
  return id
}

/** The account's conversations on the server. */
export function listConversations(server: TestServer, { token }: Account): Promise<ChatSessionJson[]> {
  return server.call('GET', '/chat/sessions?limit=200', { token })
}
