import { Columns2, Expand, SquareSplitHorizontal } from 'lucide-react'
import { useState } from 'react'
import { useText } from '../../lib/i18n/i18n.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { CompareSlider } from './compare-slider.tsx'
import { useEffectTexts } from './effect-texts.ts'
import type { StudioPicture } from './use-effect-job.ts'

type View = 'slider' | 'sides' | 'full'

/** A result large: over what it was made of, beside it, or pixel by pixel. */
export function CompareDialog({ open, onOpenChange, image, before }: CompareDialogProps) {
  const text = useText('effects')
  const common = useText('app')
  const effectTexts = useEffectTexts()
  const [chosenView, setChosenView] = useState<View>('slider')
  const { result, steps } = image
  if (result.url === null) return null
  const title = effectTexts.title(result.effect_display_name, steps)
  const view = before === null ? 'full' : chosenView
  const full = (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section tabIndex={0} aria-label={text('compare.full')} className="max-h-[70dvh] overflow-auto">
      <img src={result.url} alt={title} className="mx-auto max-w-none" />
    </section>
  )
  const tabs = [
    { value: 'slider', label: text('compare.views.slider'), icon: <SquareSplitHorizontal aria-hidden /> },
    { value: 'sides', label: text('compare.views.sides'), icon: <Columns2 aria-hidden /> },
    { value: 'full', label: text('compare.views.full'), icon: <Expand aria-hidden /> },
  ] as const
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={title} closeLabel={common('common.close')} size="full">
      {before === null ? (
        full
      ) : (
        <Tabs label={text('compare.label')} tabs={tabs} value={view} onValueChange={setChosenView}>
          <TabPanel value="slider" className="grid justify-items-center">
            <CompareSlider
              before={before}
              after={result.url}
              title={title}
              size={result.processed_size}
              height="68dvh"
            />
          </TabPanel>
          <TabPanel value="sides" className="grid gap-3 sm:grid-cols-2">
            <Side src={before} word={text('compare.before')} />
            <Side src={result.url} word={text('compare.after')} />
          </TabPanel>
          <TabPanel value="full">{full}</TabPanel>
        </Tabs>
      )}
    </Dialog>
  )
}

function Side({ src, word }: { src: string; word: string }) {
  return (
    <figure className="min-w-0">
      <img src={src} alt={word} className="mx-auto max-h-[32dvh] max-w-full object-contain sm:max-h-[64dvh]" />
      <figcaption className="mt-1.5 text-center text-13 text-muted">{word}</figcaption>
    </figure>
  )
}

type CompareDialogProps = {
  open: boolean
  onOpenChange: (isOpen: boolean) => void
  image: StudioPicture
  /** Null where what it was made of is not there any more. */
  before: string | null
}
