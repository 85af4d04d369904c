import type { AccessLine, AccessLines } from './access-table/access-line.ts'
import { administrationRoutes } from './access-table/administration.ts'
import { chatRoutes } from './access-table/chat.ts'
import { memoryRoutes } from './access-table/memory.ts'
import { personalRoutes } from './access-table/personal.ts'
import { signInRoutes } from './access-table/sign-in.ts'

/** Joins tables, of which no two may speak of the same route. */
function joined(tables: AccessLines[]): AccessLines {
  const lines = new Map<string, AccessLine>()
  for (const [route, line] of tables.flatMap((table) => Object.entries(table))) {
    if (lines.has(route)) throw new Error(`${route} stands twice in the table of access.`)
    lines.set(route, line)
  }
  return Object.fromEntries(lines)
}

/** Every route and who may call it. Whoever adds a route adds its line, to the table of its area. */
export const accessTable = joined([signInRoutes, administrationRoutes, chatRoutes, memoryRoutes, personalRoutes])
