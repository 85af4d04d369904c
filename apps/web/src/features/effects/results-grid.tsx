import { useText } from '../../lib/i18n.ts'
import { Banner } from '../../ui/banner.tsx'
import { useEffectTexts } from './effect-texts.ts'
import { ResultCard } from './result-card.tsx'
import type { Studio } from './use-studio.ts'

/** Results for the picture, the newest first, and the failures. */
export function ResultsGrid({ studio }: { studio: Studio }) {
  const text = useText('effects')
  const effectTexts = useEffectTexts()
  const { images, failures } = studio
  return (
    <>
      <p role="status" className="sr-only">
        {images.length > 0 && text('results.announced', { count: images.length })}
      </p>
      {failures.length > 0 && (
        <Banner
          tone="warning"
          title={text('results.failed', { count: failures.length })}
          dismissLabel={text('results.dismiss')}
          onDismiss={studio.dismissFailures}
        >
          <ul className="flex flex-col gap-1">
            {failures.map(({ result, steps }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a failure has no name of its own
              <li key={index}>
                <span className="font-medium">{effectTexts.title(result.effect_display_name, steps)}</span>
                {result.error && <span className="text-muted">: {result.error}</span>}
              </li>
            ))}
          </ul>
        </Banner>
      )}
      {images.length > 0 && (
        <section id="processed-images" aria-labelledby="processed-images-title" className="scroll-mt-20">
          <h2 id="processed-images-title" className="mb-3 text-16 font-semibold">
            {text('results.title', { count: images.length })}
          </h2>
          <ul className="grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-3">
            {images.map((image) => (
              <ResultCard
                key={image.result.download_id}
                image={image}
                before={studio.picture.source?.previewUrl ?? null}
                onUseAgain={() => studio.repeat(image.steps, null)}
              />
            ))}
          </ul>
        </section>
      )}
    </>
  )
}
