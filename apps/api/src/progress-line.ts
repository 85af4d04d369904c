/** A progress line that overwrites itself in the terminal; without a terminal, nothing is written. */
export function progressLine() {
  const stream = process.stdout
  let lastLine = ''
  return {
    show(text: string): void {
      if (text === lastLine) return
      lastLine = text
      if (stream.isTTY) stream.write(`\r\u001b[K${text}`)
    },
    end(): void {
      if (lastLine !== '' && stream.isTTY) stream.write('\n')
      lastLine = ''
    },
  }
}
