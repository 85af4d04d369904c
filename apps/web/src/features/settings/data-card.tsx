import { Eraser } from 'lucide-react'
import { clearBrowserData } from '../../lib/browser-data.ts'
import { useText } from '../../lib/i18n.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { useConfirm } from '../../ui/confirm-dialog.tsx'
import { showToast } from '../../ui/show-toast.ts'
import { DataLine } from './data-line.tsx'
import { DeleteData } from './delete-data.tsx'
import { ExportData } from './export-data.tsx'

/** Export, clearing and deletion of the user's data. */
export function DataCard() {
  const text = useText('settings')
  const confirm = useConfirm()

  const clear = async () => {
    const isConfirmed = await confirm({
      question: text('data.confirm'),
      detail: text('data.clearText'),
      confirmLabel: text('data.clear'),
      tone: 'danger',
    })
    if (!isConfirmed) return
    if (await clearBrowserData()) window.location.reload()
    else showToast({ tone: 'danger', title: text('data.failed'), description: text('data.failedText') })
  }

  return (
    <Card id="data" className="scroll-mt-40">
      <CardHeader title={text('data.title')} className="mb-2" />
      <div className="flex flex-col divide-y divide-border">
        <ExportData />
        <DataLine note={<p>{text('data.clearText')}</p>}>
          <Button icon={<Eraser aria-hidden />} onClick={() => void clear()}>
            {text('data.clear')}
          </Button>
        </DataLine>
      </div>
      <div className="mt-10 rounded-card border border-danger/40 px-4 pb-3.5">
        <DeleteData />
      </div>
    </Card>
  )
}
