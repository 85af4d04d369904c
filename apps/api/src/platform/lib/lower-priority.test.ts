import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Priority of a process that was started with one niceness, after lowering to another. */
function priorityAfter(startedWith: number, niceness: number): number {
  const module = new URL('./lower-priority.ts', import.meta.url).href
  const program = `import('${module}').then(({ lowerPriority }) => {
    lowerPriority(${niceness})
    console.log(os.getPriority())
  })`
  return Number(
    execFileSync('nice', ['-n', String(startedWith), process.execPath, '-e', program], { encoding: 'utf8' }),
  )
}

test('lowers the priority, but never raises it, which only root may', () => {
  // `nice` adds to the priority of the tests themselves; the lowest is 19.
  expect(priorityAfter(0, 19)).toBe(19)
  expect(priorityAfter(19, 10)).toBe(19)
})
