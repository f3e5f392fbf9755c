import assert from 'node:assert/strict';

import { hostOf, isPrivateAddress } from '../../../src/permissions/privateAddress.ts';

describe('private addresses', () => {
  const private_ = [
    'http://localhost',
    'http://LOCALHOST./x',
    'http://a.localhost:3000',
    'http://printer.local',
    'http://db.internal/',
    'http://router.lan',
    'http://nas.home.arpa',
    'http://intranet/wiki',
    'http://127.0.0.1',
    'http://127.1',
    'http://0x7f.0.0.1',
    'http://0177.0.0.1',
    'http://2130706433/',
    'http://0x7f000001',
    'http://0.0.0.0:80',
    'http://0',
    'http://10.1.2.3',
    'http://172.16.0.1',
    'http://172.31.255.255',
    'http://192.168.1.1',
    'http://169.254.169.254/latest/meta-data',
    'http://100.64.0.1',
    'http://224.0.0.1',
    'http://255.255.255.255',
    'http://198.18.0.1',
    'http://[::1]',
    'http://[::]',
    'http://[fe80::1]',
    'http://[fd00::1]',
    'http://[ff02::1]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:7f00:1]',
    'http://[64:ff9b::7f00:1]',
    'http://[::127.0.0.1]',
    'http://[::7f00:1]',
    'http://[::8.8.8.8]',
    'http://[fec0::1]',
    'http://[64:ff9b:1::7f00:1]',
    'http://[4000::1]',
    'http://[2002:7f00:1::]',
    'http://１２７.0.0.1',
    'http://user:pass@127.0.0.1/',
    'http://example.com@10.0.0.1/',
    'file:///etc/passwd',
    'not an address',
    '',
  ];
  for (const address of private_) it(`${address} is one`, () => assert.equal(isPrivateAddress(address), true));

  const public_ = [
    'http://example.com',
    'https://example.com:8443/a?b=http://127.0.0.1',
    'http://8.8.8.8',
    'http://172.32.0.1',
    'http://[2606:4700::1111]',
    'http://[::ffff:8.8.8.8]',
    'https://localhost.example.com',
    'https://mylocal.org',
    'http://127.0.0.1@example.com/',
  ];
  for (const address of public_) it(`${address} is none`, () => assert.equal(isPrivateAddress(address), false));

  it('are told by the host as all its writings come out', () => {
    assert.equal(hostOf('http://EXAMPLE.com.:80/x'), 'example.com');
    assert.equal(hostOf('http://[::1]:80/'), '::1');
    assert.equal(hostOf('x'), undefined);
  });
});
