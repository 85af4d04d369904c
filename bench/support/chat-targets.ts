import { Agent, request as httpRequest } from 'node:http'

/** Password of every account in a bench. */
export const PASSWORD = 'violet-harbour-teapot-91'
/** Maximum number of concurrent answers per user. */
export const STREAMS_PER_USER = 10
/** Message that makes the model server call a tool. */
export const TOOL_QUESTION = 'Use a tool, and be brief'
const TOOLS = [{ type: 'function', function: { name: 'calculator', description: 'Calculates.', parameters: {} } }]

/** With a timeout, the agent respects a server's keep-alive timeout; without one, it sends requests on closed connections. */
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, timeout: 60_000 })

export interface Extras {
  /** Base64. */
  picture?: string | undefined
  /** Ask in a new conversation. */
  isNew?: boolean | undefined
}

/** Chat endpoint under test. */
export interface Target {
  /** Asks a question on a stream; resolves when the answer has ended. */
  ask(stream: number, content: string, extras?: Extras): Promise<{ firstTokenMs: number; tokens: number }>
}

/** Posts JSON and reads the response stream, timing its first token. */
function stream(
  url: string,
  headers: Record<string, string>,
  body: object,
  isToken: RegExp,
): Promise<{ firstTokenMs: number; text: string }> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const request = httpRequest(
      url,
      { method: 'POST', agent, headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        let firstTokenMs = Number.NaN
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => {
          text += chunk
          if (Number.isNaN(firstTokenMs) && isToken.test(text)) firstTokenMs = performance.now() - startedAt
        })
        response.on('end', () => {
          if (response.statusCode === 200 && !Number.isNaN(firstTokenMs)) resolve({ firstTokenMs, text })
          else reject(new Error(`${url} responded with ${response.statusCode}: ${text.slice(0, 500)}`))
        })
      },
    )
    request.on('error', reject)
    request.end(JSON.stringify(body))
  })
}

/** The model server itself. */
export function connectToModel(modelUrl: string): Target {
  return {
    async ask(_stream, content, { picture } = {}) {
      const url = { url: `data:image/jpeg;base64,${picture}` }
      const parts = [{ type: 'text', text: content }, ...(picture ? [{ type: 'image_url', image_url: url }] : [])]
      const question = { role: 'user', content: picture ? parts : content }
      const send = (messages: object[], isToken: RegExp) =>
        stream(`${modelUrl}/chat/completions`, {}, { model: 'bench', stream: true, messages, tools: TOOLS }, isToken)
      if (content !== TOOL_QUESTION) {
        const { firstTokenMs, text } = await send([question], /"content":"/)
        return { firstTokenMs, tokens: text.split('token').length - 1 }
      }
      const startedAt = performance.now()
      await send([question], /"tool_calls"/)
      const callMs = performance.now() - startedAt
      const { firstTokenMs, text } = await send([question, { role: 'tool', content: '12' }], /"content":"/)
      return { firstTokenMs: callMs + firstTokenMs, tokens: text.split('token').length - 1 }
    },
  }
}

export async function signInTo(url: string, username: string): Promise<string> {
  const body = new URLSearchParams({ username, password: PASSWORD })
  const response = await fetch(`${url}/api/auth/login`, { method: 'POST', body })
  if (!response.ok) throw new Error(`${username} cannot sign in: ${await response.text()}`)
  return ((await response.json()) as { access_token: string }).access_token
}

/** This server through its OpenAI-compatible API, with an API token of the administrator; nothing is stored. */
export async function connectToOpenAiApi(url: string, model: string): Promise<Target> {
  const response = await fetch(`${url}/api/auth/tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await signInTo(url, 'admin')}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: `bench ${model}`, scopes: ['read', 'chat'] }),
  })
  if (!response.ok) throw new Error(`no token: ${await response.text()}`)
  const { token } = (await response.json()) as { token: string }
  return {
    async ask(_stream, content) {
      const body = { model, stream: true, messages: [{ role: 'user', content }] }
      const headers = { authorization: `Bearer ${token}` }
      const { firstTokenMs, text } = await stream(`${url}/v1/chat/completions`, headers, body, /"content":"[^"]/)
      return { firstTokenMs, tokens: text.split('token').length - 1 }
    },
  }
}

/** Creates accounts that may chat and upload, unless they exist. @returns their tokens. */
export async function createUsers(url: string, usernames: string[]): Promise<string[]> {
  const admin = await signInTo(url, 'admin')
  const tokens: string[] = []
  for (const username of usernames) {
    const response = await fetch(`${url}/api/admin/users`, {
      method: 'POST',
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ username, email: `${username}@example.org`, password: PASSWORD },
        ...{ can_use_agents: true, can_upload: true },
      }),
    })
    if (!response.ok && response.status !== 409) throw new Error(`no account: ${await response.text()}`)
    tokens.push(await signInTo(url, username))
  }
  return tokens
}

/** This server, with an account per STREAMS_PER_USER streams and a conversation per stream. */
export async function connectToServer(url: string, streams: number): Promise<Target> {
  const count = Math.ceil(streams / STREAMS_PER_USER)
  return connectWithTokens(
    url,
    await createUsers(
      url,
      Array.from({ length: count }, (_, user) => `bench${user}`),
    ),
  )
}

/** This server, used with these tokens: the streams are distributed among them, each with its own conversation. */
export function connectWithTokens(url: string, tokens: string[]): Target {
  const sessions = new Map<number, string>()
  return {
    async ask(number, content, { picture, isNew = false } = {}) {
      const headers = { authorization: `Bearer ${tokens[Math.floor(number / STREAMS_PER_USER)]}` }
      const imageFields = picture ? { has_images: true, images: [picture] } : {}
      const body = { content, session_id: (isNew ? null : sessions.get(number)) ?? null, ...imageFields }
      const { firstTokenMs, text } = await stream(`${url}/api/chat/message`, headers, body, /"type":"chunk"/)
      const session = /"session_id":"([^"]+)"/.exec(text)?.[1]
      if (session) sessions.set(number, session)
      return { firstTokenMs, tokens: text.split('token').length - 1 }
    },
  }
}
