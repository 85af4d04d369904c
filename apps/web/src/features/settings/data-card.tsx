import { Download, Eraser } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { useText } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/toast.ts'
import { clearBrowserData } from './clear-browser-data.ts'

/** What the person can do with what is theirs. */
export function DataCard() {
  const text = useText('settings')
  const appText = useText('app')
  const confirm = useConfirm()
  const exportTextId = useId()

  const clear = async () => {
    const isConfirmed = await confirm({
      question: text('data.confirm'),
      detail: text('data.clearText'),
      confirmLabel: text('data.clear'),
      cancelLabel: appText('common.cancel'),
      tone: 'danger',
    })
    if (!isConfirmed) return
    if (await clearBrowserData()) window.location.reload()
    else showToast({ tone: 'danger', title: text('data.failed'), description: text('data.failedText') })
  }

  return (
    <Card>
      <CardHeader title={text('data.title')} className="mb-2" />
      <div className="flex flex-col divide-y divide-border">
        <DataLine note={<span id={exportTextId}>{text('data.exportText')}</span>}>
          <Button disabled icon={<Download aria-hidden />} aria-describedby={exportTextId}>
            {text('data.export')}
          </Button>
        </DataLine>
        <DataLine note={text('data.clearText')}>
          <Button variant="danger" icon={<Eraser aria-hidden />} onClick={() => void clear()}>
            {text('data.clear')}
          </Button>
        </DataLine>
      </div>
    </Card>
  )
}

function DataLine({ note, children }: { note: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-3 py-3.5 last:pb-0">
      <p className="min-w-48 flex-1 text-13 text-pretty text-muted">{note}</p>
      {children}
    </div>
  )
}
