import { type Cage, type Command, createLocalCage, type ProcessToStart } from './cage.ts'
import { shownTo } from './product-files.ts'

/**
 * Processes in an empty root of their own, by bubblewrap: no network, no other process to be seen, no right of an
 * administrator, and of the disk only what the process needs.
 * @param program where bubblewrap is.
 */
export function createBubblewrapCage({ directory, program }: { directory: string; program: string }): Cage {
  return createLocalCage({
    kind: 'bubblewrap',
    directory,
    around: (command, what) => ({ program, words: [...wordsFor(what), '--', command.program, ...command.words] }),
  })
}

function wordsFor(what: ProcessToStart): Command['words'] {
  return [
    '--unshare-all',
    // none inside of this one: making them is how processes reach parts of the kernel that are not meant for them
    ...['--unshare-user', '--disable-userns'],
    ...['--cap-drop', 'ALL'],
    '--die-with-parent',
    '--new-session',
    ...['--hostname', 'cage'],
    // first: what is shown may lie in the system's memory folders (/dev/shm)
    ...['--proc', '/proc'],
    // where the server runs as root, these belong to the process even without any right
    ...['sys', 'sysrq-trigger', 'irq', 'bus'].flatMap((name) => ['--ro-bind-try', `/proc/${name}`, `/proc/${name}`]),
    ...['--dev', '/dev'],
    ...shownTo(what).flatMap(({ path, how, target }) => {
      if (how === 'link') return ['--symlink', target ?? '', path]
      return [how === 'write' ? '--bind' : '--ro-bind', path, path]
    }),
    // both are memory: what cannot be written cannot fill it
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...['--chdir', '/'],
  ]
}
