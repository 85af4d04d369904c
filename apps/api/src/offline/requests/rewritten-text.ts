/** Range in a text: `begin` is inclusive, `end` exclusive. */
export interface TextRange {
  begin: number
  end: number
}

/** Text that is rewritten step by step and knows the original range of each character. */
export class RewrittenText {
  text: string
  private origins: TextRange[]

  constructor(original: string) {
    this.text = original
    this.origins = Array.from({ length: original.length }, (_, begin) => ({ begin, end: begin + 1 }))
  }

  /** Like `String.replace` with a function. */
  replace(pattern: RegExp, rewrite: (...groups: string[]) => string): void {
    const origins: TextRange[] = []
    let copiedEnd = 0
    this.text = this.text.replace(pattern, (...groups) => {
      const [match] = groups
      const begin = groups.find((group): group is number => typeof group === 'number') ?? 0
      const end = begin + match.length
      const rewritten = rewrite(...groups)
      if (rewritten === match) return match
      const origin = this.originOf({ begin, end })
      origins.push(...this.origins.slice(copiedEnd, begin), ...Array.from(rewritten.split(''), () => origin))
      copiedEnd = end
      return rewritten
    })
    this.origins = [...origins, ...this.origins.slice(copiedEnd)]
  }

  originOf({ begin, end }: TextRange): TextRange {
    return { begin: this.origins[begin]?.begin ?? 0, end: this.origins[end - 1]?.end ?? 0 }
  }
}
