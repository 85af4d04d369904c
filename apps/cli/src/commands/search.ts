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

/** `mira search`: prints results, best first, with page or second. */
export const search: CommandModule<object, Options> = {
  command: 'search <query..>',
  describe: 'Search your library in plain words',
  builder: (yargs) =>
    yargs
      .positional('query', { type: 'string', array: true, demandOption: true, describe: 'Words to search for' })
      .option('limit', { type: 'number', default: 10, describe: 'Maximum number of results' })
      .option('type', { choices: mediaTypes, array: true, describe: 'Only these media types' })
      .option('from', { type: 'string', describe: 'Only from this day on, such as 2026-05-01' })
      .option('exact', { type: 'boolean', default: false, describe: 'Don’t correct spelling' })
      .option('to', { type: 'string', describe: 'Only before this day' }) as never,
  async handler({ query, limit, type, from, to, exact, json }) {
    const mira = await currentMira()
    const data = await mira.call('GET /media/search', {
      query: {
        query: query.join(' '),
        limit,
        ...(exact && { exact: 'true' }),
        ...(type && { media_types: type }),
        ...(from && { from: timestampOf(from) }),
        ...(to && { to: timestampOf(to) }),
      },
    })
    if (json) return printJson(data)
    const { url } = await currentAccount()
    for (const { from: typed, to: corrected } of data.understood?.corrections ?? []) {
      note(`No results for “${typed}”. Showing results for “${corrected}”.`)
    }
    for (const result of data.results) {
      const location = [
        result.page !== null && `page ${result.page}`,
        result.timestamp_seconds !== null && clock(result.timestamp_seconds),
      ].filter(Boolean)
      const certainty = result.certainty === 'perhaps' ? ' (perhaps)' : ''
      print(`${[result.original_filename, ...location].join(', ')}${certainty}`)
      if (result.content) print(`  ${result.content}`)
      print(`  ${url}${result.url}`)
    }
    if (data.results.length === 0) note('No results.')
    if (data.mode_reason) note(data.mode_reason)
  },
}

/** Timestamp for a date (the start of the local day) or a time. Other text is returned unchanged, so that the server refuses it. */
function timestampOf(text: string): string {
  const date = new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text)
  return Number.isNaN(date.getTime()) ? text : date.toISOString()
}
