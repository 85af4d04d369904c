import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Cage, createLocalCage } from './cage.ts'
import { shownTo } from './product-files.ts'

const script = fileURLToPath(new URL('./cage-namespaces.sh', import.meta.url))
const namespaces = ['--user', '--map-root-user', '--mount', '--net', '--pid', '--ipc', '--uts']

/**
 * The same with the tools that nearly every Linux has (util-linux), where the system lets anybody make namespaces.
 * @param program where unshare is.
 */
export function createNamespacesCage({ directory, program }: { directory: string; program: string }): Cage {
  return createLocalCage({
    kind: 'namespaces',
    directory,
    around(command, what) {
      // each process covers it with an empty root of its own
      const root = join(directory, 'root')
      mkdirSync(root, { recursive: true, mode: 0o700 })
      const shown = shownTo(what).flatMap(({ how, path, target }) => [how, path, target ?? '-'])
      return {
        program,
        words: [
          ...[...namespaces, '--fork', '--kill-child=KILL', '--propagation', 'private', '--'],
          ...['/bin/sh', script, root, ...shown, '--', command.program, ...command.words],
        ],
      }
    },
  })
}
