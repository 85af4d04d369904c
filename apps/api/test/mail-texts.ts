/** Headers of a mail. */
export const head = 'From: a@example.org\nTo: b@example.org\n'

/** A file as a part of a mail. */
export const attached = (name: string, content: string | Buffer, type = 'application/octet-stream') =>
  `--x\nContent-Type: ${type}\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(content as string).toString('base64')}\n`

/** A mail of parts. */
export const mixed = (...parts: string[]) =>
  `${head}Content-Type: multipart/mixed; boundary=x\n\n${parts.join('')}--x--\n`
