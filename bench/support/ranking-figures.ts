import type { Question } from './retrieval-sets.ts'

const CONSIDERED = 10
const PAGE = 20
const FEW = 5

/** Ranking quality, each from 0 to 1. */
export interface Figures {
  ndcg: number
  recall: number
  /** Recall among the results of the first page. */
  onPage: number
  first: number
  inFive: number
}

export const mean = (values: number[]): number =>
  values.length === 0 ? Number.NaN : values.reduce((total, one) => total + one, 0) / values.length

/** Mean ranking quality over all questions. */
export function figuresOf(questions: Question[], ranked: Map<Question, string[]>): Figures {
  const each = questions.map((question) => figuresOfOne(question, ranked.get(question) ?? []))
  const over = (pick: (figures: Figures) => number) => mean(each.map(pick))
  return {
    ndcg: over(({ ndcg }) => ndcg),
    recall: over(({ recall }) => recall),
    onPage: over(({ onPage }) => onPage),
    first: over(({ first }) => first),
    inFive: over(({ inFive }) => inFive),
  }
}

function figuresOfOne({ gains }: Question, ranked: string[]): Figures {
  const top = ranked.slice(0, CONSIDERED)
  const discounted = (values: number[]) => values.reduce((total, gain, index) => total + gain / Math.log2(index + 2), 0)
  const ideal = [...gains.values()].toSorted((a, b) => b - a).slice(0, CONSIDERED)
  const isGood = (id: string | undefined) => id !== undefined && gains.has(id)
  return {
    ndcg: discounted(top.map((id) => gains.get(id) ?? 0)) / discounted(ideal),
    recall: top.filter(isGood).length / gains.size,
    onPage: ranked.slice(0, PAGE).filter(isGood).length / gains.size,
    first: isGood(top[0]) ? 1 : 0,
    inFive: top.slice(0, FEW).some(isGood) ? 1 : 0,
  }
}
