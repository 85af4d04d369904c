import { type MediaType, mediaTypes } from '@mira/shared/constants/media'
import type { CommandModule } from 'yargs'
import { currentAccount, currentMira } from '../account.ts'
import { clock, note, print, printJson } from '../output.ts'

interface Options {
  query: string[]
  limit: number
  type?: MediaType[]
  from?: string
  to?: string
  exact: boolean
  json: boolean
}

/** `mira search`: what was found, best first, with where it stands. */
export const search: CommandModule<object, Options> = {
  command: 'search <query..>',
  describe: 'Search the memory in plain words',
  builder: (given) =>
    given
      .positional('query', { type: 'string', array: true, demandOption: true, describe: 'What to look for' })
      .option('limit', { type: 'number', default: 10, describe: 'How many results at most' })
      .option('type', { choices: mediaTypes, array: true, describe: 'Only these kinds of things' })
      .option('from', { type: 'string', describe: 'Only from this day on, such as 2026-05-01' })
      .option('exact', { type: 'boolean', default: false, describe: 'No words that are spelled nearly so' })
      .option('to', { type: 'string', describe: 'Only before this day' }) as never,
  async handler({ query, limit, type, from, to, exact, json }) {
    const mira = await currentMira()
    const data = await mira.call('GET /media/search', {
      query: {
        query: query.join(' '),
        limit,
        ...(exact && { exact: 'true' }),
        ...(type && { media_types: type }),
        ...(from && { from: dayOf(from) }),
        ...(to && { to: dayOf(to) }),
      },
    })
    if (json) return printJson(data)
    const { url } = await currentAccount()
    for (const { from: typed, to: meant } of data.understood?.corrections ?? []) {
      note(`Nothing says “${typed}”. Showing “${meant}”.`)
    }
    for (const result of data.results) {
      const place = [
        result.page !== null && `page ${result.page}`,
        result.timestamp_seconds !== null && clock(result.timestamp_seconds),
      ].filter(Boolean)
      const doubt = result.certainty === 'perhaps' ? ' (perhaps)' : ''
      print(`${[result.original_filename, ...place].join(', ')}${doubt}`)
      if (result.content) print(`  ${result.content}`)
      print(`  ${url}${result.url}`)
    }
    if (data.results.length === 0) note('Nothing was found.')
    if (data.mode_reason) note(data.mode_reason)
  },
}

/** A day as the moment at which it begins here; a whole time stays. */
function dayOf(given: string): string {
  const date = new Date(/^\d{4}-\d{2}-\d{2}$/.test(given) ? `${given}T00:00` : given)
  return Number.isNaN(date.getTime()) ? given : date.toISOString()
}
