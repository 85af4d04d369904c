import type { AccessLine, AccessLines } from './access-table/access-line.ts'
import { administrationRoutes } from './access-table/administration.ts'
import { chatRoutes } from './access-table/chat.ts'
import { memoryRoutes } from './access-table/memory.ts'
import { personalRoutes } from './access-table/personal.ts'
import { signInRoutes } from './access-table/sign-in.ts'

/** Merges tables. @throws when a route is in two of them. */
function merge(tables: AccessLines[]): AccessLines {
  const lines = new Map<string, AccessLine>()
  for (const [route, line] of tables.flatMap((table) => Object.entries(table))) {
    if (lines.has(route)) throw new Error(`${route} is in the access table twice.`)
    lines.set(route, line)
  }
  return Object.fromEntries(lines)
}

/** Every route with its access. A new route gets a line in the table of its area. */
export const accessTable = merge([signInRoutes, administrationRoutes, chatRoutes, memoryRoutes, personalRoutes])
