import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..')

const running = new Set()
let isStopping = false

/** On a signal, interrupts the running programs and starts no more. This process then ends with code 1, once all have ended. */
export function stopOnSignals() {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      isStopping = true
      if (running.size === 0) process.exit(1)
      // test runners end their own processes on an interrupt
      for (const child of running) child.kill('SIGINT')
    })
  }
}

/**
 * Runs a program from `folder`, with node_modules/.bin first on PATH.
 * @param {string[]} command the program and its arguments
 * @param {{ folder?: string, environment?: Record<string, string>, isShown?: boolean }} [options] `isShown` also prints the
 *   output as it comes
 * @returns {Promise<{ code: number, output: string }>} `output` contains both streams
 */
export function run([program, ...args], { folder = '.', environment = {}, isShown = false } = {}) {
  return new Promise((resolve) => {
    if (isStopping) return
    const child = spawn(program, args, {
      cwd: join(root, folder),
      env: { ...process.env, ...environment, PATH: join(root, 'node_modules/.bin') + delimiter + process.env.PATH },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.add(child)
    let output = ''
    for (const stream of ['stdout', 'stderr']) {
      child[stream].on('data', (chunk) => {
        output += chunk
        if (isShown) process[stream].write(chunk)
      })
    }
    child.on('error', (error) => resolve({ code: 1, output: `${program} couldn’t be started: ${error.message}` }))
    child.on('close', (code) => {
      running.delete(child)
      if (isStopping && running.size === 0) process.exit(1)
      resolve({ code: code ?? 1, output })
    })
  })
}

/**
 * Runs a step and prints a line with its result, and its output when it failed.
 * @param {string} name
 * @param {() => Promise<{ code: number, output: string }>} work
 * @returns {Promise<boolean>} true when it succeeded
 */
export async function step(name, work) {
  const startedAt = performance.now()
  const { code, output } = await work().catch((error) => ({ code: 1, output: error.stack }))
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.info(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)`)
  if (code !== 0) console.error(output.trimEnd())
  return code === 0
}
