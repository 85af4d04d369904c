import { readElements } from './document-xml.ts'

// Electronic invoices (EN 16931): ZUGFeRD, Factur-X and XRechnung in both syntaxes, UN/CEFACT's and UBL.

/** No real invoice has more. */
const MAX_LEAVES = 20_000
const MAX_ITEMS = 500
const ITEM = /^(?:IncludedSupplyChainTradeLineItem|InvoiceLine|CreditNoteLine)$/
const ROOT = /<(?:[\w-]+:)?(?:CrossIndustryInvoice|CrossIndustryDocument|Invoice|CreditNote)[\s>]/

interface Leaf {
  /** Names of the elements around it, without prefixes, the root first. */
  path: string
  text: string
  attributes: Record<string, string>
}

/** Lines of an invoice by the paths of their values in either syntax; all matches are listed. */
const invoiceLines: [label: string, path: RegExp][] = [
  ['Invoice number', /^[^/]+\/(?:(?:Header)?ExchangedDocument\/)?ID$/],
  ['Invoice date', /^[^/]+\/(?:(?:Header)?ExchangedDocument\/IssueDateTime\/DateTimeString|IssueDate)$/],
  [
    'Delivery date',
    /(?:\/ActualDeliverySupplyChainEvent\/OccurrenceDateTime\/DateTimeString|\/Delivery\/ActualDeliveryDate)$/,
  ],
  ['Due date', /(?:\/DueDateDateTime\/DateTimeString|^[^/]+\/DueDate|\/PaymentDueDate)$/],
  [
    'Seller',
    /\/(?:SellerTradeParty\/Name|AccountingSupplierParty\/Party\/(?:PartyName\/Name|PartyLegalEntity\/RegistrationName))$/,
  ],
  [
    'Seller tax number',
    /\/(?:SellerTradeParty\/SpecifiedTaxRegistration\/ID|AccountingSupplierParty\/Party\/PartyTaxScheme\/CompanyID)$/,
  ],
  [
    'Buyer',
    /\/(?:BuyerTradeParty\/Name|AccountingCustomerParty\/Party\/(?:PartyName\/Name|PartyLegalEntity\/RegistrationName))$/,
  ],
  ['Buyer reference', /\/BuyerReference$/],
  ['Order', /\/(?:BuyerOrderReferencedDocument\/(?:IssuerAssigned)?ID|OrderReference\/ID)$/],
  ['Note', /\/(?:IncludedNote\/Content|Note)$/],
  ['Net total', /\/(?:TaxBasisTotalAmount|TaxExclusiveAmount)$/],
  ['Tax rate', /\/(?:ApplicableTradeTax\/(?:RateApplicable|Applicable)Percent|TaxSubtotal\/TaxCategory\/Percent)$/],
  ['Tax', /^(?!.*(?:Monetary)?Line)(?:.*\/TaxTotalAmount|[^/]+\/TaxTotal\/TaxAmount)$/],
  ['Total', /\/(?:GrandTotalAmount|TaxInclusiveAmount)$/],
  ['Paid already', /\/(?:TotalPrepaidAmount|PrepaidAmount)$/],
  ['Amount due', /\/(?:DuePayableAmount|PayableAmount)$/],
  ['IBAN', /\/(?:IBANID|PayeeFinancialAccount\/ID)$/],
  ['BIC', /\/(?:BICID|FinancialInstitutionBranch\/ID)$/],
  ['Payment reference', /\/(?:PaymentReference|PaymentMeans\/PaymentID)$/],
]
const addresses: [label: string, party: RegExp][] = [
  ['Seller address', /\/(?:SellerTradeParty\/PostalTradeAddress|AccountingSupplierParty\/Party\/PostalAddress)\//],
  ['Buyer address', /\/(?:BuyerTradeParty\/PostalTradeAddress|AccountingCustomerParty\/Party\/PostalAddress)\//],
]
const itemPaths = {
  name: /\/(?:SpecifiedTradeProduct|Item)\/Name$/,
  quantity: /\/(?:BilledQuantity|InvoicedQuantity|CreditedQuantity)$/,
  price: /\/(?:NetPriceProductTradePrice\/ChargeAmount|Price\/PriceAmount)$/,
  total: /^[^/]+\/(?:.*\/LineTotalAmount|LineExtensionAmount)$/,
}

/** Readable lines of an electronic invoice; null for any other XML. */
export async function invoiceIn(xml: Uint8Array): Promise<string | null> {
  if (!ROOT.test(Buffer.from(xml.subarray(0, 16_384)).toString('latin1'))) return null
  const { head, items } = await leavesOf(xml)
  const currency = textAt(head, /\/(?:InvoiceCurrencyCode|DocumentCurrencyCode)$/)
  const textOf = (leaf: Leaf) => formattedValue(leaf, currency)
  const lines = invoiceLines.flatMap(([label, path]) => {
    const values = [...new Set(head.filter((leaf) => path.test(leaf.path)).map(textOf))].filter((value) => value !== '')
    return values.length > 0 ? [`${label}: ${values.join(', ')}`] : []
  })
  for (const [label, party] of addresses) {
    const parts = head.filter(({ path, text }) => party.test(path) && text !== '').map(({ text }) => text)
    if (parts.length > 0) lines.push(`${label}: ${parts.join(', ')}`)
  }
  if (lines.length < 2) return null
  for (const leaves of items.slice(0, MAX_ITEMS)) {
    const [quantity, price, total] = [itemPaths.quantity, itemPaths.price, itemPaths.total].map((path) => {
      const leaf = leaves.find((one) => path.test(one.path))
      return leaf === undefined ? '' : textOf(leaf)
    })
    const calculation = [[quantity, price].filter(Boolean).join(' × '), total].filter(Boolean).join(' = ')
    lines.push([`• ${textAt(leaves, itemPaths.name)}`, calculation].filter(Boolean).join(': '))
  }
  return lines.join('\n')
}

async function leavesOf(xml: Uint8Array): Promise<{ head: Leaf[]; items: Leaf[][] }> {
  const head: Leaf[] = []
  const items: Leaf[][] = []
  const names: string[] = []
  let leafCount = 0
  let itemDepth: number | null = null
  let openLeaf: Leaf | null = null
  async function* pieces() {
    yield xml
  }
  await readElements(pieces(), 'xml', {
    open: (name, attributes) => {
      const local = name.replace(/^.*:/, '')
      names.push(local)
      if (itemDepth === null && ITEM.test(local)) {
        itemDepth = names.length
        items.push([])
      }
      openLeaf = { path: names.slice(itemDepth === null ? 0 : itemDepth - 1).join('/'), text: '', attributes }
    },
    text: (text) => {
      if (openLeaf !== null) openLeaf.text += text
    },
    close: () => {
      if (openLeaf !== null && openLeaf.text.trim() !== '' && ++leafCount <= MAX_LEAVES) {
        const leaf = { ...openLeaf, text: openLeaf.text.replaceAll(/\s+/g, ' ').trim() }
        ;(itemDepth === null ? head : items.at(-1))?.push(leaf)
      }
      openLeaf = null
      if (itemDepth === names.length) itemDepth = null
      names.pop()
    },
  })
  return { head, items }
}

const textAt = (leaves: Leaf[], path: RegExp) => leaves.find((leaf) => path.test(leaf.path))?.text ?? ''

/** A value in readable form: dates with hyphens, amounts with currency, quantities with unit. */
function formattedValue({ path, text, attributes }: Leaf, currency: string): string {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? []
  if (/DateTimeString$/.test(path) && year !== undefined) return `${year}-${month}-${day}`
  if (/Amount$/.test(path)) return `${text} ${attributes.currencyID ?? currency}`.trim()
  if (/Percent$/.test(path)) return `${text} %`
  if (/Quantity$/.test(path)) return `${text} ${unitOf(attributes.unitCode)}`.trim()
  return text
}

/** Readable units of measure by code; empty for pieces. */
const units = new Map(Object.entries({ C62: '', H87: '', EA: '', HUR: 'h', KGM: 'kg', MTR: 'm', LTR: 'l', DAY: 'd' }))
const unitOf = (code = '') => units.get(code) ?? code
