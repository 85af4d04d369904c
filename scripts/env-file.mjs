import { readFileSync } from 'node:fs'

/**
 * Refuses a .env of which Node would silently read something else than what was meant: it ends a value without quotes at
 * each #, so that a passphrase would only be used in part, and skips what it can't decode.
 * @returns a sentence for the operator; null for a file without such a mistake.
 */
export function mistakeInEnvFile(file) {
  const bytes = readFileSync(file)
  const text = bytes.toString('utf8')
  // Node takes a byte order mark for a part of the first line, which may be a comment.
  if (bytes.includes(0) || /^\uFEFF\s*(?:export\s+)?[\w.-]+\s*=/.test(text))
    return 'Your .env would be read in part. Save it again as UTF-8 without BOM.'
  // Values in quotes may have several lines.
  const withoutQuoted = text.replace(/^(\s*(?:export\s+)?[\w.-]+\s*=[ \t]*)(?:"[^"]*"|'[^']*'|`[^`]*`)/gm, '$1""')
  for (const line of withoutQuoted.split(/\r?\n/)) {
    // Only a # right after a character that isn't a space: with a space before it, it begins a comment everywhere.
    const [, name] = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(?!["'`#])[^\s#]+(?:[ \t]+[^\s#]+)*#/.exec(line) ?? []
    if (name !== undefined)
      return `In your .env, the value of ${name} would end at the #. Put the value in quotes, or a space before a comment.`
  }
  return null
}
