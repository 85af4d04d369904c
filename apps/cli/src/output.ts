import process from 'node:process'

/** Writes a line of the result to standard output. */
export function print(line = ''): void {
  process.stdout.write(`${line}\n`)
}

/** Writes a message to standard error, apart from the result. */
export function note(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Writes a value as a line of JSON to standard output. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value))
}

/** True when progress can be shown. */
export const isTerminal = () => process.stderr.isTTY === true

const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** Formats a size, such as 1.2 MB. */
export function bytes(count: number): string {
  const power = count < 1000 ? 0 : Math.min(Math.floor(Math.log10(count) / 3), units.length - 1)
  const value = count / 1000 ** power
  if (power === 0) return count === 1 ? '1 byte' : `${count} bytes`
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[power]}`
}

/** Formats a duration, such as 1:02:03 or 4:05. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds)
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}
