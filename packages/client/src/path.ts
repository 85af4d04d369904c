/** A path with each value in it as one part, whatever characters it has: path`/media/${id}`. */
export function path(texts: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: texts }, ...values.map((value) => encodeURIComponent(value)))
}
