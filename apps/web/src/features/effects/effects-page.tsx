import { Images, WandSparkles } from 'lucide-react'
import { useSearchParams } from 'react-router-dom'
import { useText } from '../../lib/i18n.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { TabPanel, Tabs } from '../../ui/tabs.tsx'
import { CreateTab } from './create-tab.tsx'
import { EffectsGallery } from './effects-gallery.tsx'
import { useStudio } from './use-studio.ts'

type Tab = 'create' | 'gallery'

/** The screen on which pictures are transformed. */
export function EffectsPage() {
  const text = useText('effects')
  const [params, setParams] = useSearchParams()
  const tab: Tab = params.get('tab') === 'gallery' ? 'gallery' : 'create'
  const show = (next: Tab) =>
    setParams((before) => {
      if (next === 'gallery') before.set('tab', next)
      else before.delete('tab')
      return before
    })
  // Above the tabs: what is chosen and what is being made stays while the gallery is shown.
  const studio = useStudio()
  return (
    <>
      <PageHeader title={text('title')} subtitle={text('subtitle')} />
      <Tabs
        label={text('tabs.label')}
        tabs={[
          { value: 'create', label: text('tabs.create'), icon: <WandSparkles aria-hidden /> },
          { value: 'gallery', label: text('tabs.gallery'), icon: <Images aria-hidden /> },
        ]}
        value={tab}
        onValueChange={show}
      >
        <TabPanel value="create">
          <CreateTab studio={studio} />
        </TabPanel>
        <TabPanel value="gallery">
          <EffectsGallery
            onCreate={() => show('create')}
            onUseAgain={(image) => {
              studio.repeat(image.recipe, image.source_media_id)
              if (image.source_media_id === null) show('create')
            }}
            onDeleted={studio.forget}
          />
        </TabPanel>
      </Tabs>
    </>
  )
}
