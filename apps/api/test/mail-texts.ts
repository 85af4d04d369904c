/** Headers of a mail. */
export const mailHeaders = 'From: a@example.org\nTo: b@example.org\n'

/** MIME part of an attachment. */
export const attachmentPart = (name: string, content: string | Buffer, type = 'application/octet-stream') =>
  `--x\nContent-Type: ${type}\nContent-Disposition: attachment; filename="${name}"\nContent-Transfer-Encoding: base64\n\n${Buffer.from(content as string).toString('base64')}\n`

/** A multipart mail. */
export const multipartMail = (...parts: string[]) =>
  `${mailHeaders}Content-Type: multipart/mixed; boundary=x\n\n${parts.join('')}--x--\n`
