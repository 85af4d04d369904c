const MOST_TAGS = 30
const MOST_CHARACTERS = 500
/** What tells of the file's inside, not of what it shows. */
const technical =
  /^(major_brand|minor_version|compatible_brands|handler_name|vendor_id|duration|_statistics_.*|bps|number_of_.*)$/

/** Tags as they are kept: names in lower case, few and short; what was given first wins. */
export function tidyTags(given: Record<string, string>[]): Record<string, string> {
  const tags = new Map<string, string>()
  for (const [key, value] of given.flatMap((some) => Object.entries(some))) {
    const name = key.toLowerCase().slice(0, 100)
    const text = cleanText(value)
    if (tags.size >= MOST_TAGS) break
    if (text && !tags.has(name) && !technical.test(name)) tags.set(name, text)
  }
  return Object.fromEntries(tags)
}

function cleanText(value: string): string {
  // a database takes no NUL, and half a surrogate is no character
  return value.replaceAll('\0', '').trim().slice(0, MOST_CHARACTERS).toWellFormed()
}
