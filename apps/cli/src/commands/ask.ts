import process from 'node:process'
import { text as readAll } from 'node:stream/consumers'
import type { ChatEvent, Source } from '@mira/shared'
import type { CommandModule } from 'yargs'
import { currentAccount, currentMira } from '../account.ts'
import { Failure } from '../failure.ts'
import { clock, note, print, printJson } from '../output.ts'

interface Options {
  question?: string[]
  session?: string
  model?: string
  temporary: boolean
  json: boolean
}

/** `mira ask`: streams the answer, then lists its sources. */
export const ask: CommandModule<object, Options> = {
  command: 'ask [question..]',
  describe: 'Ask the assistant; without a question, reads it from standard input',
  builder: (yargs) =>
    yargs
      .positional('question', { type: 'string', array: true, describe: 'What to ask' })
      .option('session', { type: 'string', describe: 'Id of the conversation to continue' })
      .option('model', { type: 'string', describe: 'Model that answers, by its id in `GET /models`' })
      .option('temporary', { type: 'boolean', default: false, describe: 'Store nothing' }) as never,
  async handler({ question = [], session, model, temporary, json }) {
    const content = question.join(' ') || (process.stdin.isTTY ? '' : (await readAll(process.stdin)).trim())
    if (content === '') throw new Failure('Ask something: mira ask "When does the lease end?"')
    const mira = await currentMira()
    const stop = new AbortController()
    process.once('SIGINT', () => stop.abort())
    const message = {
      content,
      ...(session && { session_id: session }),
      ...(model && { model }),
      ...(temporary && { temporary }),
    }
    let sources: Source[] = []
    let hasBegun = false
    let sessionId: string | null = null
    let failure: string | null = null
    try {
      for await (const { event } of mira.ask(message, stop.signal)) {
        if (json) printJson(event)
        else show(event)
        if (event.type === 'session') {
          if (hasBegun && !json) note('\nThe text above was the model’s reasoning. Its answer:')
          hasBegun = true
          sessionId = event.session_id
        }
        if (event.type === 'sources') sources = event.sources
        if (event.type === 'error') failure = event.content
      }
    } catch (error) {
      if (!stop.signal.aborted) throw error
      // disconnecting doesn't stop a stored answer
      if (sessionId !== null) await mira.call('POST /chat/sessions/:id/stop', { params: { id: sessionId } })
      failure = 'Stopped.'
    }
    if (!json) print()
    if (failure !== null) throw new Failure(failure)
    if (json) return
    if (sources.length > 0) await printSources(sources)
    if (sessionId !== null) note(`Continue with: mira ask --session ${sessionId} …`)
  },
}

function show(event: ChatEvent): void {
  if (event.type === 'chunk') process.stdout.write(event.content)
  if (event.type !== 'agent') return
  if (event.state === 'waiting') note(`${event.name} would change something: allow or refuse it in the conversation.`)
  else if (event.state !== 'started') note(`${event.name}: ${event.summary ?? event.state}`)
}

async function printSources(sources: Source[]): Promise<void> {
  const { url } = await currentAccount()
  print()
  for (const source of sources) {
    const location = [
      source.page !== undefined && `page ${source.page}`,
      source.timestamp_seconds !== undefined && clock(source.timestamp_seconds),
    ].filter(Boolean)
    print(`[${source.n}] ${[source.title, ...location].join(', ')}  ${url}${source.url}`)
  }
}
