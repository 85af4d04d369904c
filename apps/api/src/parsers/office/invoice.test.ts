import { expect, test } from 'vitest'
import { invoiceIn } from './invoice.ts'

const party = (kind: string, name: string) =>
  `<cac:Accounting${kind}Party><cac:Party><cac:PostalAddress><cbc:StreetName>Quay 3</cbc:StreetName><cbc:CityName>Husum</cbc:CityName></cac:PostalAddress>
   <cac:PartyTaxScheme><cbc:CompanyID>DE12${name.length}</cbc:CompanyID></cac:PartyTaxScheme>
   <cac:PartyLegalEntity><cbc:RegistrationName>${name}</cbc:RegistrationName></cac:PartyLegalEntity></cac:Party></cac:Accounting${kind}Party>`
const ubl = `<?xml version="1.0" encoding="UTF-8"?>
<ubl:Invoice xmlns:ubl="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2" xmlns:cac="a" xmlns:cbc="b">
  <cbc:ID>2024/0815</cbc:ID><cbc:IssueDate>2024-02-01</cbc:IssueDate><cbc:DueDate>2024-02-15</cbc:DueDate>
  <cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode>
  ${party('Supplier', 'Lamp Works')}${party('Customer', 'Lighthouse Society')}
  <cac:PaymentMeans><cbc:PaymentID>0815</cbc:PaymentID><cac:PayeeFinancialAccount><cbc:ID>DE02120300000000202051</cbc:ID></cac:PayeeFinancialAccount></cac:PaymentMeans>
  <cac:TaxTotal><cbc:TaxAmount currencyID="EUR">19.00</cbc:TaxAmount><cac:TaxSubtotal><cbc:TaxableAmount currencyID="EUR">100.00</cbc:TaxableAmount>
    <cac:TaxCategory><cbc:Percent>19</cbc:Percent></cac:TaxCategory></cac:TaxSubtotal></cac:TaxTotal>
  <cac:LegalMonetaryTotal><cbc:TaxExclusiveAmount currencyID="EUR">100.00</cbc:TaxExclusiveAmount>
    <cbc:TaxInclusiveAmount currencyID="EUR">119.00</cbc:TaxInclusiveAmount><cbc:PayableAmount currencyID="EUR">119.00</cbc:PayableAmount></cac:LegalMonetaryTotal>
  <cac:InvoiceLine><cbc:ID>1</cbc:ID><cbc:InvoicedQuantity unitCode="LTR">20</cbc:InvoicedQuantity>
    <cbc:LineExtensionAmount currencyID="EUR">100.00</cbc:LineExtensionAmount><cac:Item><cbc:Name>Lamp oil</cbc:Name></cac:Item>
    <cac:Price><cbc:PriceAmount currencyID="EUR">5.00</cbc:PriceAmount></cac:Price></cac:InvoiceLine>
</ubl:Invoice>`

test('reads the parties, amounts, dates and lines of a UBL invoice', async () => {
  expect(await invoiceIn(Buffer.from(ubl))).toBe(
    [
      'Invoice number: 2024/0815',
      'Invoice date: 2024-02-01',
      'Due date: 2024-02-15',
      'Seller: Lamp Works',
      'Seller tax number: DE1210',
      'Buyer: Lighthouse Society',
      'Net total: 100.00 EUR',
      'Tax rate: 19 %',
      'Tax: 19.00 EUR',
      'Total: 119.00 EUR',
      'Amount due: 119.00 EUR',
      'IBAN: DE02120300000000202051',
      'Payment reference: 0815',
      'Seller address: Quay 3, Husum',
      'Buyer address: Quay 3, Husum',
      '• Lamp oil: 20 l × 5.00 EUR = 100.00 EUR',
    ].join('\n'),
  )
})

test('shows unknown units of measure by their codes', async () => {
  expect(await invoiceIn(Buffer.from(ubl.replace('unitCode="LTR"', 'unitCode="constructor"')))).toContain(
    '• Lamp oil: 20 constructor × 5.00 EUR',
  )
})

test.each(['<html><body>Invoice</body></html>', '<Invoice><Other>1</Other></Invoice>', ''])(
  '%j isn’t an invoice',
  async (xml) => {
    expect(await invoiceIn(Buffer.from(xml))).toBeNull()
  },
)
