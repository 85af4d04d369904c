import { FactsCard } from './facts-card.tsx'
import { InstructionsCard } from './instructions-card.tsx'

/** What the assistant keeps in mind of the person, in two cards side by side where there is room. */
export function AboutMe() {
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      <InstructionsCard />
      <FactsCard />
    </div>
  )
}
