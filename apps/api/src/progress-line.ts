/** A line of the terminal that is written over again; where there is no terminal, only what is new for a person. */
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
