import { readFileSync } from 'node:fs'

/**
 * Refuses a .env of which Node would silently read something else than what was meant: it ends a value without quotes at
 * each #, so that a passphrase would only be used in part, and skips what it can't decode.
 * @returns a sentence for the operator; null for a file without such a mistake.
 */
export function mistakeInEnvFile(file) {
  const bytes = readFileSync(file)
  if (bytes.includes(0) || (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf))
    return 'Your .env can’t be read. Save it again as UTF-8 without BOM.'
  for (const line of bytes.toString('utf8').split(/\r?\n/)) {
    // Only a # right after a character that isn't a space: with a space before it, it begins a comment everywhere.
    const [, name] = /^\s*(?:export\s+)?(\w+)\s*=\s*(?!["'`#])[^\s#]+(?:[ \t]+[^\s#]+)*#/.exec(line) ?? []
    if (name !== undefined)
      return `In your .env, the value of ${name} would end at the #. Put the value in single quotes, or a space before a comment.`
  }
  return null
}
